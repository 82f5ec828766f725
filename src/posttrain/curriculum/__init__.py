"""Which tasks are drawn when, how hard they may be, and what they pay meanwhile."""
