#pragma once

#include "core/model/shard_geometry.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

namespace shardlens {

// What every lookup refuses, in the words of the operator `name`: tables that have not two
// dimensions, and ids that name no row. Ids that are masked were looked at when they were masked.
void refuseOtherTable(const std::string& name, const at::Tensor& weight);
void refuseIdsOutside(const std::string& name, const at::Tensor& ids, std::int64_t rows);

// Of a table that holds these rows of a larger one, the row of each id, zeros for those of others.
// The mask, where it is defined, is filled with what was masked.
at::Tensor lookUp(const at::Tensor& table, const at::Tensor& ids, Chunk rows,
                  const at::Tensor& mask = {});

// Its gradient: a table of these rows, to each of which the rows of its ids are added. Ids of other
// rows, and of padding, add nothing.
at::Tensor addUp(const at::Tensor& gradient, const at::Tensor& ids, Chunk rows,
                 std::optional<std::int64_t> paddingIdx);

}  // namespace shardlens
