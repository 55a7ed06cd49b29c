#pragma once

#include "core/imports/input/byte_source.h"
#include "core/imports/input/plain_value.h"

namespace shardlens {

// The value that a pickle of Python holds, protocols 2 to 5. It knows None, truths, numbers, texts,
// bytes (as texts), lists, tuples and dictionaries of texts or numbers, and what the pickle
// remembers of them; any other instruction, such as those that name a class or call something, is
// refused by name, so that nothing from a file is ever run. Refuses more than 256 MiB, and values
// that contain themselves or lie more than 100 deep. Throws BadDump.
PlainValue readPickle(ByteSource& source);

}  // namespace shardlens
