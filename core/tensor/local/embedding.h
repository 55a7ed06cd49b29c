#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace shardlens {

// What every lookup refuses, in the words of the operator `name`: tables that have not two
// dimensions, and ids that name no row. Ids that are masked were looked at when they were masked.
void refuseOtherTable(const std::string& name, const at::Tensor& weight);
void refuseIdsOutside(const std::string& name, const at::Tensor& ids, std::int64_t rows);

}  // namespace shardlens
