"""Tests PyTorch's operators on sharded tensors with PyTorch's own samples, against plain torch and
DTensor."""
