#pragma once

#include "tests/view/lookup_run.h"

#include <QString>

namespace shardlens {

// recordLookup() as a file of a temporary folder.
void writeLookup(const QString& path);

}  // namespace shardlens
