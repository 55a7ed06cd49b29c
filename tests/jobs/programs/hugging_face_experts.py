"""Tensor parallelism as Hugging Face's transformers applies it to a tiny Mixtral."""
import transformers

import hugging_face
from models import run


def train(steps, width):
    made = transformers.MixtralConfig(
        vocab_size=hugging_face.WORDS, hidden_size=width, intermediate_size=2 * width, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32, num_local_experts=4,
        num_experts_per_tok=2)
    return hugging_face.train(steps, width, made)


if __name__ == "__main__":
    run(train)
