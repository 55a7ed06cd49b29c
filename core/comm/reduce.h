#pragma once

#include "core/comm/communicator.h"

namespace shardlens {

// Makes every output the reduction of the terms in their order; an output may be one of the terms.
// A sum of small numbers that does not fit their type is no harm to an average that does.
void reduceIntoAll(const Buffers& outputs, const Buffers& terms, Reduction reduction);

}  // namespace shardlens
