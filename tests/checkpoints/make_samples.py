"""Writes samples/dcp-2 (2 ranks, sharded by rows) or dcp-3 (3 ranks, by columns):

    torchrun --nproc-per-node 3 make_samples.py samples/dcp-3
"""
import sys

import torch
import torch.distributed.checkpoint as dcp
from torch import distributed
from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh


def main(folder):
    distributed.init_process_group("gloo")
    ranks = distributed.get_world_size()
    mesh = init_device_mesh("cpu", (ranks,))
    weight = torch.arange(15, dtype=torch.float32).reshape(5, 3)
    dcp.save({"w": distribute_tensor(weight, mesh, [Shard(ranks - 2)]), "step": 3}, checkpoint_id=folder)
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
