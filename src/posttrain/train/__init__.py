"""The learner: advantages, losses, packed forward passes, one exact optimizer step per batch."""
