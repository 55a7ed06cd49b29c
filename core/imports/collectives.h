#pragma once

#include "core/model/dtype.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// c10d's, NCCL's and the functional names of a collective as recordings have it: "all_gather" of
// "_allgather_base", "AllGather" and "all_gather_into_tensor_out". Empty of what is none, as "wait"
// and "send".
std::string_view collectiveName(std::string_view name);

// An operator's name as recordings have it: "aten.mm" of "aten::mm" and "aten.mm.default".
std::string operatorName(std::string_view name);

// Bytes an element of a type has, by the names of c10 ("Float", "c10::Half", "long int"), of
// recordings ("float32", "f32"); 0 where it is not known.
int elementSize(std::string_view dtype);

// Members of a group, ascending, from "[0, 1, 2]". Lists are cut after 30, "[0, 1, ...]": then they
// are counted from a start by a stride. None where neither says all.
std::vector<int> groupMembers(std::string_view list);
std::vector<int> groupMembers(std::int64_t start, std::int64_t stride, std::int64_t size);

// What is counted of a process group's name and description: "3 mesh_tp".
std::string groupName(std::string_view name, std::string_view description);

}  // namespace shardlens
