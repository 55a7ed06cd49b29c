"""Tries PyTorch's own samples of its operators on sharded tensors, beside plain torch and DTensor."""
