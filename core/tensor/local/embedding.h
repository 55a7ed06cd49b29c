#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace shardlens {

// Checks of every lookup, with messages that begin with `name`. Throw Refusal unless the table has
// two dimensions, and, in all processes, if an id names no row. Masked ids were checked when
// masked.
void refuseOtherTable(const std::string& name, const at::Tensor& weight);
void refuseIdsOutside(const std::string& name, const at::Tensor& ids, std::int64_t rows);

}  // namespace shardlens
