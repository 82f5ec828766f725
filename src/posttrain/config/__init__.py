"""The run file: its models, how it is read, and the schemas of every file."""

from posttrain.config.run import RunConfig

__all__ = ["RunConfig"]
