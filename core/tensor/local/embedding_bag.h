#pragma once

#include "core/model/shard_geometry.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace shardlens {

// All ids of all bags, one bag after another.
struct Bags {
  at::Tensor ids;                     // of one dimension
  std::optional<at::Tensor> weights;  // of each id
  at::Tensor bagOf;                   // of each id
  std::int64_t count = 0;
};

enum class BagOf { Sum, Largest };

// Which bag each of n ids is in, the bags beginning there.
at::Tensor bagOfEach(const at::Tensor& starts, std::int64_t n);

// Of a table that holds these rows of a larger one, the sum, or the largest, of those that are in
// each bag. Ids of others' rows, and of padding, are left out; where nothing is left it is zero, or
// less than everything.
at::Tensor bagOwned(const at::Tensor& table, Chunk rows, const Bags& bags,
                    std::optional<std::int64_t> paddingIdx, BagOf what);

}  // namespace shardlens
