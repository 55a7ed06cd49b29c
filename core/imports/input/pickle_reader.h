#pragma once

#include "core/imports/input/byte_source.h"
#include "core/imports/input/plain_value.h"

namespace shardlens {

// Returns the value of a Python pickle, protocols 2 to 5. Supports None, bools, integers up to 64
// bits, floats, strings, bytes (as texts), lists, tuples, dictionaries with text or number keys,
// and the memo. Rejects every other instruction, in particular those that name a class or call a
// function, so no code is executed. Limits: 256 MiB, 8 million instructions, nesting depth 100, no
// cycles. Throws BadDump.
PlainValue readPickle(ByteSource& source);

}  // namespace shardlens
