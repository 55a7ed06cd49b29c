#pragma once

#include "core/imports/input/byte_source.h"
#include "core/imports/input/plain_value.h"

namespace shardlens {

// Returns the value of a Python pickle of plain values, see core/base/pickle.h; bytes are texts.
// Rejects classes and functions, so no code is executed. Dictionaries must have text or number
// keys. Limits: 256 MiB, 8 million values, nesting depth 100, no cycles. Throws BadDump.
PlainValue readPickle(ByteSource& source);

}  // namespace shardlens
