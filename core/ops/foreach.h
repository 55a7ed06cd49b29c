#pragma once

#include "core/ops/schema.h"

namespace shardlens {

// The call of a foreach operator for one element of its lists. `inputs` maps the inputs of `call`
// to those of the whole call. Arguments that are not lists are passed to every element.
struct Element {
  OpSchema call;
  std::vector<std::size_t> inputs;
};

// Returns one call per list element; empty if no argument is a list of tensors. Requires lists of
// equal length.
std::vector<Element> elementsOf(const OpSchema& call);

// Returns the strategy of the whole call from those of its elements. Costs and bytes are added. The
// strategies must agree on the placements of shared inputs. The name is that of the first element's
// strategy.
OpStrategy joined(const OpSchema& call, const std::vector<Element>& elements,
                  const std::vector<OpStrategy>& strategies);

}  // namespace shardlens
