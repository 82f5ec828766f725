"""Write model folders: the embedded GGUF as safetensors, and tiny random models for tests.

Weights are kept in float32. The 4-bit blocks expand to scale x integer + minimum with half
precision scales, which bfloat16 cannot hold; the learner's master weights and log-probability
checks want the exact values, and the bfloat16 sampler rounds its own copy when it loads.
"""

from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM
from transformers.utils import logging as transformers_logging

__all__ = ["convert_gguf", "convert_tokenizer", "write_tiny_model"]


def convert_tokenizer(gguf: Path, target: Path) -> None:
    """Write the tokenizer and chat template that ``gguf`` carries."""
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    tokenizer.save_pretrained(target)


def convert_gguf(gguf: Path, target: Path) -> None:
    """Write tokenizer, config and float32 safetensors of ``gguf``; takes about half a minute."""
    transformers_logging.disable_progress_bar()
    convert_tokenizer(gguf, target)
    loaded = AutoModelForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, dtype=torch.float32
    )
    config = loaded.config
    # transformers 5.24 refuses to save a model that remembers having been quantised.
    del config.quantization_config
    config.name_or_path = ""
    fresh = type(loaded)(config)
    fresh.load_state_dict(loaded.state_dict())
    fresh.generation_config = loaded.generation_config
    fresh.save_pretrained(target)


def write_tiny_model(target: Path, seed: int) -> None:
    """Write config and weights of a random Llama (2 layers, width 48) with the full vocabulary.

    The weights are large enough that next-token distributions are far from uniform, so that a
    wrong mask, position or cache shows in its numbers.
    """
    transformers_logging.disable_progress_bar()
    tokenizer = AutoTokenizer.from_pretrained(target)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=6,
        num_key_value_heads=2,
        head_dim=8,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.3,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config)
    model.save_pretrained(target)
