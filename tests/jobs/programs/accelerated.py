"""DDP by Hugging Face's accelerate, with a loader that has worker processes and accumulated gradients."""
import accelerate
import torch
from torch.utils.data import DataLoader, TensorDataset

from models import Feedforward, batches, run

BATCH, ACCUMULATED = 4, 2


def train(steps, width):
    torch.manual_seed(0)
    accelerator = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=ACCUMULATED)
    rows, = batches(1, steps * ACCUMULATED * BATCH * accelerator.num_processes, width)
    model = Feedforward(width)
    model, optimizer, loader = accelerator.prepare(
        model, torch.optim.AdamW(model.parameters(), lr=0.01),
        DataLoader(TensorDataset(rows), batch_size=BATCH, num_workers=2))
    for part, in loader:
        with accelerator.accumulate(model):
            loss = model(part).pow(2).mean()
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
    return [loss, *model.parameters()]


if __name__ == "__main__":
    run(train)
