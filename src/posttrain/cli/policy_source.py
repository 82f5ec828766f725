"""What ``--policy`` names: the embedded model, a model folder, a run at a step, given answers."""

import json
from pathlib import Path

from posttrain.core.errors import ConfigError, NotFoundError
from posttrain.policy.open import open_policy
from posttrain.policy.protocol import Policy
from posttrain.policy.scripted import ScriptedPolicy
from posttrain.store.checkpoints import list_checkpoints
from posttrain.store.run_directory import RunDirectory

__all__ = ["model_of_run", "policy_named"]

SCRIPTED = "scripted:"
FORMS = "demo, a model folder, RUN or RUN@STEP, scripted:FILE"


def policy_named(name: str) -> Policy:
    """Open the policy; raises ``NotFoundError`` or ``ConfigError`` naming the allowed forms."""
    if name.startswith(SCRIPTED):
        return ScriptedPolicy(_answers(Path(name.removeprefix(SCRIPTED))), name=name)
    if ":" in name and not Path(name).exists():
        raise ConfigError(f"no policy {name!r}; allowed: {FORMS}")
    path, _, step = name.partition("@")
    if (Path(path) / "manifest.json").is_file() and (Path(path) / "checkpoints").is_dir():
        return open_policy(model_of_run(RunDirectory.open(Path(path)), step))
    return open_policy(name)


def model_of_run(run: RunDirectory, step: str = "") -> Path:
    """The model folder of a checkpoint: of ``step``, or the last one when that is empty."""
    found = {
        str(checkpoint.step): checkpoint.path for checkpoint in list_checkpoints(run.checkpoints)
    }
    if not found:
        raise NotFoundError(f"run {str(run.path)!r} has no checkpoint yet; let it train on")
    chosen = step or max(found, key=int)
    if chosen not in found:
        raise NotFoundError(
            f"run {str(run.path)!r} has no checkpoint of step {step!r}; steps: {', '.join(found)}"
        )
    return found[chosen] / "learner"


def _answers(path: Path) -> dict[str, str]:
    try:
        answers = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFoundError(f"script {str(path)!r} does not exist; give a JSON file") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not JSON: {error}; mend it") from None
    if not isinstance(answers, dict) or not all(isinstance(a, str) for a in answers.values()):
        raise ConfigError(f"{path} must be one object from a piece of the prompt to the answer")
    return answers
