#pragma once

#include "core/model/dtype.h"
#include "core/model/event.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// Returns the collective that a call is: AllGather for "_allgather_base" (c10d), "AllGather" (NCCL)
// and "all_gather_into_tensor_out" (functional). Returns nullopt for other calls, such as "wait"
// and "send".
std::optional<CollectiveKind> collectiveOf(std::string_view name);

// Returns an operator's name in the form that recordings use: "aten.mm" for "aten::mm" and
// "aten.mm.default".
std::string operatorName(std::string_view name);

// Returns the element size of a dtype in bytes. Accepts c10's names ("Float", "c10::Half", "long
// int") and those of recordings ("float32", "f32"). Returns 0 for an unknown name.
int elementSize(std::string_view dtype);

// Parses the ranks of a group from "[0, 1, 2]"; returns them ascending and without duplicates.
// PyTorch truncates lists after 30 ranks ("[0, 1, ...]"); for these, the result is empty.
std::vector<int> groupMembers(std::string_view list);
// Returns start, start + stride, ... (`size` ranks). Returns an empty list if an argument is out of
// range: start < 0, stride or size <= 0, or values beyond about a million.
std::vector<int> groupMembers(std::int64_t start, std::int64_t stride, std::int64_t size);

// Joins a process group's name and description: "3 mesh_tp". Omits the description if it is empty
// or "undefined". Recordings number collectives per such name.
std::string groupName(std::string_view name, std::string_view description);

}  // namespace shardlens
