#pragma once

#include "core/tensor/dtensor.h"

#include <string>

namespace shardlens {

// Whether negative ids count from the end.
enum class FromEnd { Refused, Allowed };

// Throws Refusal if an id names no row of a table with `rows` rows, or if the ids are neither int32
// nor int64. Needed because libtorch would check each rank's shard only, or nothing. Masked ids are
// checked by their original values; ids without data are not checked. Collective: all processes
// throw or none. `where` begins the message.
void refuseBadIds(const std::string& where, const DTensorImpl& ids, std::int64_t rows,
                  FromEnd fromEnd = FromEnd::Refused);

// As refuseBadIds(), for the class indices of a loss. Rows of class `ignored` are valid.
void refuseBadTargets(const std::string& where, const DTensorImpl& target, std::int64_t classes,
                      std::int64_t ignored);

}  // namespace shardlens
