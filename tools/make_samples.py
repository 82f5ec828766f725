"""Regenerate the package's samples from a folder of public data sets.

usage: make_samples.py SRC [OUT]

SRC holds the folders humaneval, mbpp, general-regression and wikitext2; OUT defaults to the
package's own data folder. ``general_prompts.jsonl`` is written by hand and left alone. The same
SRC gives the same bytes: what is taken depends on lengths and hashes of the items alone.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from posttrain.core.task import Split, Task
from posttrain.tasks.format import write_tasks
from posttrain.tasks.importers import import_tasks
from posttrain.tasks.jsonl import read_json_lines

NUM_MBPP, NUM_HUMANEVAL = 60, 20
NUM_CHOICE_ITEMS = {
    "arc_easy": 120,
    "piqa": 80,
    "openbook_qa": 70,
    "copa": 50,
    "commonsense_qa": 40,
}
MAX_ITEM_CHARS = 320
PROSE_BYTES = 40_000
MIN_CHUNK_CHARS, MAX_CHUNK_CHARS = 400, 1_500
_ANSWER_ON_A_LINE_OF_ITS_OWN = ("arc_easy", "piqa", "commonsense_qa")


def main(argv: list[str]) -> int:
    if len(argv) not in (2, 3):
        print(__doc__)
        return 2
    src = Path(argv[1])
    package = Path(__file__).parents[1] / "src" / "posttrain" / "tasks" / "data"
    out = Path(argv[2]) if len(argv) == 3 else package
    mbpp = import_tasks("mbpp", src / "mbpp" / "sanitized-mbpp.json")
    write_tasks(out / "mbpp.jsonl", shortest(mbpp, NUM_MBPP))
    write_tasks(
        out / "humaneval.jsonl",
        shortest(import_tasks("humaneval", src / "humaneval"), NUM_HUMANEVAL),
    )
    write_lines(out / "regression_choices.jsonl", choice_items(src / "general-regression"))
    write_lines(out / "prose.jsonl", prose(src / "wikitext2" / "test.txt"))
    for path in sorted(out.glob("*.jsonl")):
        print(path.name, path.stat().st_size, "bytes")
    return 0


def shortest(tasks: Iterable[Task], n: int) -> list[Task]:
    """The eval tasks with the shortest references, in their own order."""
    candidates = [task for task in tasks if task.split is Split.EVAL]
    chosen = sorted(candidates, key=lambda task: len(task.reference or ""))[:n]
    return [task for task in candidates if task in chosen]


def choice_items(folder: Path) -> list[dict[str, Any]]:
    """Short items of each set, picked by hash; the scored text is query, space, choice."""
    items = []
    for source, n in NUM_CHOICE_ITEMS.items():
        rows = [row for _, row in read_json_lines(folder / f"{source}.jsonl")]
        short = {row["query"]: row for row in rows if len(json.dumps(row)) <= MAX_ITEM_CHARS}
        for row in sorted(short.values(), key=lambda row: digest(row["query"]))[:n]:
            items.append(
                {
                    "id": f"{source}/{digest(row['query'])[:12]}",
                    "query": query_text(source, row["query"]),
                    "choices": choice_texts(row),
                    "gold": row["gold"],
                    "source": source,
                }
            )
    return items


def query_text(source: str, query: str) -> str:
    """The query as it is scored; questions get the line that begins an answer."""
    question = query.partition("\nChoices:")[0].strip()
    return question + ("\nAnswer:" if source in _ANSWER_ON_A_LINE_OF_ITS_OWN else "")


def choice_texts(row: dict[str, Any]) -> list[str]:
    """The choices in words: where they are letters, the query lists what each stands for."""
    listed = re.findall(r"^[A-E]\. (.*)$", row["query"], re.MULTILINE)
    return [choice.strip() for choice in (listed or row["choices"])]


def prose(path: Path) -> list[dict[str, str]]:
    """Runs of sentences without unknown words, in the text's order, spacing restored."""
    chunks: list[dict[str, str]] = []
    size = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        for text in map(restored, known_runs(line)):
            fits = MIN_CHUNK_CHARS <= len(text) <= MAX_CHUNK_CHARS
            if fits and size + len(text.encode()) <= PROSE_BYTES:
                size += len(text.encode())
                chunks.append(
                    {"id": f"wikitext2/{len(chunks)}", "text": text, "source": "wikitext2"}
                )
    return chunks


def known_runs(paragraph: str) -> Iterator[str]:
    """Consecutive sentences of a paragraph up to the next one with an unknown word."""
    run: list[str] = []
    for sentence in paragraph.strip().split(" . "):
        if "<unk>" not in sentence:
            run.append(sentence)
            continue
        yield " . ".join(run) + " ."
        run = []
    yield " . ".join(run)


def restored(line: str) -> str:
    """A paragraph with the tokenizer's spaces around punctuation taken out."""
    text = re.sub(r" @([-,.])@ ", r"\1", line.strip())
    text = re.sub(r" ([,.;:!?)\]%]|'s\b|n't\b)", r"\1", text)
    text = re.sub(r"([(\[]) ", r"\1", text)
    return re.sub(r'" ([^"]*?) "', r'"\1"', text)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
    path.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv))
