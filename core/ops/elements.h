#pragma once

#include "core/ops/schema.h"

namespace shardlens {

// The call that a foreach operator makes for one element of its lists, and which of the whole
// call's inputs its own are, in their order. What is no list is every element's.
struct Element {
  OpSchema call;
  std::vector<std::size_t> inputs;
};

std::vector<Element> elementsOf(const OpSchema& call);

// The way of the whole call, of the ways of its elements. They agree about inputs that they share.
OpStrategy joined(const OpSchema& call, const std::vector<Element>& elements,
                  const std::vector<OpStrategy>& ways);

}  // namespace shardlens
