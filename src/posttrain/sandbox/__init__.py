"""Sandboxes: one protocol, its backends, their limits and what a machine can enforce."""

__all__: list[str] = []
