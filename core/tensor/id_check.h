#pragma once

#include "core/tensor/dtensor.h"

#include <string>

namespace shardlens {

// Whether -1 names the last row.
enum class FromEnd { Refused, Allowed };

// Refuses ids that name no row of a table of so many rows, whichever way it is cut: libtorch would
// notice only in a rank's own part, or not at all. `where` begins the message.
void refuseBadIds(const std::string& where, const DTensorImpl& ids, std::int64_t rows,
                  FromEnd fromEnd = FromEnd::Refused);

// The same for the classes that rows are said to be of, where a row of class `ignored` is of none.
void refuseBadTargets(const std::string& where, const DTensorImpl& target, std::int64_t classes,
                      std::int64_t ignored);

}  // namespace shardlens
