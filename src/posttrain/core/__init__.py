"""Records, ids, errors, clock and seeds that every room shares. Standard library only."""
