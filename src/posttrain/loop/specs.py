"""From the run file's sections to the records that the rooms take: same meanings, other names."""

from posttrain.config.curriculum import PhaseConfig
from posttrain.config.run import RewardConfig, RunConfig
from posttrain.curriculum.phase import Phase
from posttrain.curriculum.spec import CurriculumSpec
from posttrain.reward.layers import LAYER_NAMES, RewardSpec
from posttrain.train.advantage import AdvantageSpec, Scale
from posttrain.train.kl import KlSpec
from posttrain.train.loss import PolicyLossSpec, Reduction
from posttrain.train.pack import PackLimits
from posttrain.train.precision import Precision
from posttrain.train.spec import KlScope, LearnerSpec, LoraSpec, OptimizerSpec

__all__ = ["advantage_spec", "curriculum_spec", "learner_spec"]


def advantage_spec(config: RunConfig) -> AdvantageSpec:
    """How attempts are compared within their group."""
    algorithm = config.algorithm
    return AdvantageSpec(scale=Scale(algorithm.scale), scale_floor=algorithm.scale_floor)


def learner_spec(config: RunConfig) -> LearnerSpec:
    """Loss, optimizer and memory bounds of the learner."""
    optimizer = config.optimizer
    return LearnerSpec(
        loss=_loss_spec(config),
        optimizer=OptimizerSpec(
            learning_rate=optimizer.learning_rate,
            warmup_steps=optimizer.warmup_steps,
            weight_decay=optimizer.weight_decay,
            beta1=optimizer.beta1,
            beta2=optimizer.beta2,
            max_grad_norm=optimizer.max_grad_norm,
        ),
        lora=LoraSpec(rank=optimizer.lora_rank) if optimizer.method == "lora" else None,
        sft_weight=config.sft.weight,
        kl_scope=KlScope(config.algorithm.kl_scope),
        packs=PackLimits(max_sequences=optimizer.micro_batch),
        precision=Precision(config.policy.dtype),
        threads=config.policy.threads,
    )


def curriculum_spec(config: RunConfig) -> CurriculumSpec:
    """How tasks are drawn, and the phases with their reward weights."""
    curriculum = config.curriculum
    if not curriculum.enabled:
        uniform = Phase(name="all", reward=RewardSpec(**config.reward.model_dump()))
        return CurriculumSpec(uniform_share=1.0, stale_share=0.0, phases=(uniform,))
    return CurriculumSpec(
        low=curriculum.low,
        high=curriculum.high,
        uniform_share=curriculum.uniform_share,
        decay=curriculum.decay,
        phases=tuple(_phase(phase, config.reward) for phase in curriculum.phases),
    )


def _loss_spec(config: RunConfig) -> PolicyLossSpec:
    algorithm = config.algorithm
    reduction = Reduction(algorithm.normalization)
    return PolicyLossSpec(
        clip_low=algorithm.clip_low,
        clip_high=algorithm.clip_high,
        reduction=reduction,
        constant_length=config.policy.max_tokens if reduction is Reduction.CONSTANT else None,
        kl=KlSpec(coefficient=algorithm.kl_coefficient),
    )


def _phase(phase: PhaseConfig, reward: RewardConfig) -> Phase:
    given = {name: getattr(phase, name) for name in LAYER_NAMES}
    changed = {name: weight for name, weight in given.items() if weight is not None}
    return Phase(
        name=phase.name,
        max_difficulty=phase.max_difficulty,
        unlock_pass_rate=phase.unlock_pass_rate,
        unlock_step=phase.unlock_step,
        reward=RewardSpec(**{**reward.model_dump(), **changed}),
    )
