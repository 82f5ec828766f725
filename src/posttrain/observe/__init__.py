"""What a run looks like from outside: live board, report page. Reads events and files only."""
