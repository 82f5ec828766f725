"""Built-in procedural tasks: small Python functions in many parametrised forms."""

from posttrain.tasks.basics.catalog import FAMILIES, SEEN, UNSEEN
from posttrain.tasks.basics.generate import fresh_cases, generate_tasks

__all__ = ["FAMILIES", "SEEN", "UNSEEN", "fresh_cases", "generate_tasks"]
