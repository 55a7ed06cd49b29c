#pragma once

#include "core/ops/schema.h"

namespace shardlens {

// The call that a foreach operator makes for one element of its lists, and the indices of that
// call's inputs among those of the whole call. An argument that is no list goes to every element.
struct Element {
  OpSchema call;
  std::vector<std::size_t> inputs;
};

std::vector<Element> elementsOf(const OpSchema& call);

// The strategy of the whole call, from those of its elements, which agree about inputs that they
// share.
OpStrategy joined(const OpSchema& call, const std::vector<Element>& elements,
                  const std::vector<OpStrategy>& strategies);

}  // namespace shardlens
