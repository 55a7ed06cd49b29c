"""Tensor parallelism as Hugging Face's transformers applies it, by tp_plan="auto", to a tiny Llama with random
weights."""
import tempfile

import torch
import torch.distributed as dist
import transformers

from models import run

BATCH, LENGTH, WORDS = 2, 8, 64


def config(width):
    return transformers.LlamaConfig(
        vocab_size=WORDS, hidden_size=width, intermediate_size=2 * width, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=32)


def train(steps, width, made=None):
    folder = [tempfile.mkdtemp() if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(folder)
    torch.manual_seed(0)
    if dist.get_rank() == 0:
        transformers.AutoModelForCausalLM.from_config(made or config(width)).save_pretrained(folder[0])
    dist.barrier()
    model = transformers.AutoModelForCausalLM.from_pretrained(folder[0], tp_plan="auto", dtype=torch.float32)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, foreach=False)
    for step in range(steps):
        ids = torch.randint(0, WORDS, (BATCH, LENGTH), generator=torch.Generator().manual_seed(step))
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
