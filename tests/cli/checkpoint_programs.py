"""Writes and changes checkpoints with torch's own code, for checkpoint_test.py.

    checkpoint_programs.py save FOLDER          on each rank: a state dict of DTensors, FSDP2 and plain tensors
    checkpoint_programs.py resave FROM FOLDER   on each rank: loads it into other placements and saves it
    checkpoint_programs.py values NAME...       what torch reads from NAME.dcp: NAME.json (metadata), NAME.safetensors
    checkpoint_programs.py plant FOLDER KIND... the metadata of FOLDER/two.dcp with a fault of each kind, as FOLDER/KIND
    checkpoint_programs.py types FOLDER         codes.safetensors, and their values as float64 in values.safetensors
"""
import json
import pickle
import struct
import sys
from types import ModuleType

import torch
import torch.distributed.checkpoint as dcp
from torch import distributed, nn
from torch.distributed.checkpoint.metadata import Metadata, TensorStorageMetadata
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh

DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
          torch.uint8, torch.bool, torch.complex64]
SAFETENSORS = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16",
               torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8",
               torch.bool: "BOOL", torch.complex64: "C64", torch.float8_e4m3fn: "F8_E4M3",
               torch.float8_e5m2: "F8_E5M2", torch.float8_e4m3fnuz: "F8_E4M3FNUZ", torch.float8_e5m2fnuz: "F8_E5M2FNUZ"}
FLOAT8 = [dtype for dtype in SAFETENSORS if "float8" in str(dtype)]


def whole_values():
    """Returns the tensors that every world size shards in its own way."""
    torch.manual_seed(7)
    values = {f"dtype.{dtype}".replace("torch.", ""): (torch.randn(7, 5) * 50).to(dtype) for dtype in DTYPES}
    return {**values, "columns": torch.randn(6, 7), "rows": torch.arange(24.0).reshape(8, 3), "cube": torch.randn(5, 4, 3)}


def state(mesh, grid):
    """Returns a state dict on a mesh of one axis and one of two axes (HSDP)."""
    def distributed_over(axes, value, *placements):  # without communication: all ranks have the values
        return distribute_tensor(value, axes, placements, src_data_rank=None)

    sharded = {name: distributed_over(mesh, value, Shard(1 if name == "columns" else 0))
               for name, value in whole_values().items()}
    torch.manual_seed(8)
    hybrid, grids = torch.randn(5, 3), torch.randn(9, 5)
    sharded["hybrid"] = distributed_over(grid, hybrid, Replicate(), Shard(0))
    sharded["grid"] = distributed_over(grid, grids, Shard(1), Shard(0))
    codes = torch.arange(256, dtype=torch.uint8)
    plain = {f"float8.{dtype}".replace("torch.", ""): codes.view(dtype) for dtype in FLOAT8}
    transposed = torch.arange(12.0).reshape(3, 4).t()  # strides that are not row-major
    return {**sharded, **plain, "transposed": transposed, "scalar": torch.tensor(3.5), "step": 17, "options": {"names": ["a", "b"]}}


def model_and_optimizer(mesh, seed):
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(5, 7), nn.Linear(7, 3))
    for layer in model:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.randn(4, 5)).square().sum().backward()
    optimizer.step()
    return model, optimizer


def save(folder, source=None):
    distributed.init_process_group("gloo")
    ranks = distributed.get_world_size()
    mesh = init_device_mesh("cpu", (ranks,))
    grid = init_device_mesh("cpu", (2, ranks // 2), mesh_dim_names=("replicate", "shard"))
    model, optimizer = model_and_optimizer(mesh, seed=9 if source is None else 10)
    model_state, optimizer_state = get_state_dict(model, optimizer)
    everything = {**state(mesh, grid), "model": model_state, "optimizer": optimizer_state}
    if source is not None:
        for value in everything.values():  # so that only what is loaded can be equal
            if isinstance(value, torch.Tensor):
                value.zero_() if not hasattr(value, "to_local") else value.to_local().zero_()
        dcp.load(everything, checkpoint_id=source)
        set_state_dict(model, optimizer, model_state_dict=everything["model"], optim_state_dict=everything["optimizer"])
    dcp.save(everything, checkpoint_id=folder)
    distributed.destroy_process_group()


def write_safetensors(path, tensors):
    header, elements = {}, b""
    for name, tensor in tensors.items():
        data = bytes(tensor.contiguous().reshape(-1).view(torch.uint8).numpy())
        header[name] = {"dtype": SAFETENSORS[tensor.dtype], "shape": list(tensor.shape),
                        "data_offsets": [len(elements), len(elements) + len(data)]}
        elements += data
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + elements)


def values(*names):
    for name in names:
        metadata = dcp.FileSystemReader(f"{name}.dcp").read_metadata()
        items = {key: item for key, item in metadata.state_dict_metadata.items() if isinstance(item, TensorStorageMetadata)}
        tensors = {key: torch.empty(item.size, dtype=item.properties.dtype) for key, item in items.items()}
        dcp.load(tensors, checkpoint_id=f"{name}.dcp", no_dist=True)
        write_safetensors(f"{name}.safetensors", tensors)
        described = {key: {"dtype": str(item.properties.dtype)[6:], "shape": list(item.size),
                           "slices": sorted([list(chunk.offsets), list(chunk.sizes)] for chunk in item.chunks
                                            if chunk.sizes.numel())}
                     for key, item in items.items()}
        with open(f"{name}.json", "w", encoding="utf-8") as file:
            json.dump(described, file)


def plant(folder, *kinds):
    """Changes the second slice of `rows`, which has 8 rows."""
    for kind in kinds:
        metadata = dcp.FileSystemReader(f"{folder}/two.dcp").read_metadata()
        chunks = metadata.state_dict_metadata["rows"].chunks
        index = next(index for index in metadata.storage_data if index.fqn == "rows" and index.offset == chunks[1].offsets)
        info = metadata.storage_data.pop(index)
        if kind == "byte":  # another place in the file
            info.offset += 64
        elif kind == "place":  # another place in the tensor: two slices share rows, and the last row is in none
            chunks[1].offsets = torch.Size([3, 0])
        elif kind == "class":  # a name that no checkpoint has
            info.relative_path = print
        elif kind == "megatron":  # no fault, but the class of Megatron's torch_dist format
            make_megatron_metadata(metadata)
        if kind != "storage":  # no file for it
            metadata.storage_data[type(index)("rows", chunks[1].offsets)] = info
        with open(f"{folder}/{kind}", "wb") as file:
            pickle.dump(metadata, file)


def make_megatron_metadata(metadata):
    """Changes the object to one of Megatron's class, as far as its pickle is concerned."""
    module = "megatron.core.dist_checkpointing.strategies.torch"
    for end in range(module.count(".") + 1):
        name = ".".join(module.split(".")[:end + 1])
        sys.modules[name] = ModuleType(name)
    sys.modules[module].MCoreMetadata = type("MCoreMetadata", (Metadata,), {"__module__": module})
    metadata.__class__ = sys.modules[module].MCoreMetadata
    metadata.mcore_data = {"rows": {"nd_reformulated_orig_global_shape": torch.Size([8, 3])}}


def types(folder):
    codes = {str(dtype): torch.arange(256, dtype=torch.uint8).view(dtype) for dtype in FLOAT8}
    for dtype in (torch.float16, torch.bfloat16):
        codes[str(dtype)] = torch.arange(-2**15, 2**15, dtype=torch.int16).view(dtype)
    for dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool):
        codes[str(dtype)] = torch.arange(-300, 300).to(dtype)
    codes["torch.float32"] = torch.randn(100) * torch.tensor(2.0) ** torch.arange(-140, 60, 2)
    write_safetensors(f"{folder}/codes.safetensors", codes)
    write_safetensors(f"{folder}/values.safetensors", {name: value.double() for name, value in codes.items()})


if __name__ == "__main__":
    COMMANDS = {"save": save, "resave": lambda source, folder: save(folder, source), "values": values, "plant": plant,
                "types": types}
    COMMANDS[sys.argv[1]](*sys.argv[2:])
