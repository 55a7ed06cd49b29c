#pragma once

#include "core/model/shard_geometry.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace shardlens {

// The ids of all bags, bag after bag.
struct Bags {
  at::Tensor ids;                     // [n]
  std::optional<at::Tensor> weights;  // [n]
  at::Tensor bagOf;                   // [n]: the bag of each id
  std::int64_t count = 0;             // number of bags
};

// What is computed of each bag.
enum class BagOf { Sum, Largest };

// Returns the bag of each of n ids, from the index of each bag's first id (ascending, from 0).
at::Tensor bagOfEach(const at::Tensor& starts, std::int64_t n);

// Returns the sum or the maximum of each bag, from the rows [begin, begin + length) of a larger
// table. Ids of other rows and of padding are skipped. A bag without ids gives 0, or -inf for the
// maximum.
at::Tensor bagOwned(const at::Tensor& table, Chunk rows, const Bags& bags,
                    std::optional<std::int64_t> paddingIdx, BagOf what);

}  // namespace shardlens
