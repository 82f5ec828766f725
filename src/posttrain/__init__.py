"""Post-training of language models by reinforcement learning in executable environments."""

__version__ = "0.1.0"

__all__ = ["__version__"]
