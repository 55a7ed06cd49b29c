// Only here so that torch_pch.h belongs to a target.
