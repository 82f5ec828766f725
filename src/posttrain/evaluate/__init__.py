"""Two tracks, paired comparisons and the promotion gate; plain policy calls, no torch."""
