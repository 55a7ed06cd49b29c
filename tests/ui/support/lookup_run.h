#pragma once

#include "tests/view/lookup_run.h"

#include <QString>

namespace shardlens {

// Writes the recording of recordLookup() to a file. Throws std::runtime_error if that fails.
void writeLookup(const QString& path);

}  // namespace shardlens
