"""Small real data that ships with the package; sources and licences are in ``data/README.md``.

    mbpp            60 sanitized MBPP tasks            tasks.jsonl
    humaneval       20 HumanEval tasks                 tasks.jsonl
    regression      multiple-choice items              {id, query, choices, gold, source}
    prose           held-out paragraphs                {id, text, source}
    general_prompts everyday requests without code     {id, prompt}

A choice is scored as the text that follows ``query`` and one space.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from posttrain.core.errors import NotFoundError
from posttrain.tasks.complaint import did_you_mean
from posttrain.tasks.jsonl import read_json_lines

__all__ = ["SAMPLES", "load_general_prompts", "load_prose", "sample_path"]

SAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "mbpp": "mbpp.jsonl",
        "humaneval": "humaneval.jsonl",
        "regression": "regression_choices.jsonl",
        "prose": "prose.jsonl",
        "general_prompts": "general_prompts.jsonl",
    }
)


def sample_path(name: str) -> Path:
    """Where a sample lies on disk; an unknown name is a ``NotFoundError``."""
    if name not in SAMPLES:
        hint = did_you_mean(name, SAMPLES) or ";"
        raise NotFoundError(f"unknown sample {name!r}{hint} known are {', '.join(SAMPLES)}")
    return Path(__file__).parent / "data" / SAMPLES[name]


def load_general_prompts() -> list[str]:
    """Everyday requests for the supervised stream, none of them about code."""
    return [line["prompt"] for _, line in read_json_lines(sample_path("general_prompts"))]


def load_prose() -> list[str]:
    """Held-out paragraphs for perplexity, 0.4 to 1.5 KB each."""
    return [line["text"] for _, line in read_json_lines(sample_path("prose"))]
