#pragma once

#include "core/ops/schema.h"

namespace shardlens {

// The calls that a foreach operator makes, one for each element of its lists. What is no list is
// every element's.
std::vector<OpSchema> elementsOf(const OpSchema& call);

// For each of them which of the whole call's inputs its own are, in their order.
std::vector<std::vector<std::size_t>> inputsOfElements(const OpSchema& call);

// The way of the whole call, of the ways of its elements. They agree about inputs that they share.
OpStrategy joined(const OpSchema& call, const std::vector<OpStrategy>& elements);

}  // namespace shardlens
