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

// As refuseBadIds(), for operators that give zeros for ids outside the table. On GPUs of a single
// process it only queues the check; see Note [Checks of ids on GPUs].
void refuseBadLookupIds(const std::string& where, const DTensorImpl& ids, std::int64_t rows);

// Returns the global position, "[1, 0]", of the element at a flat index of a rank's local. Requires
// an index within the local.
std::string globalPosition(const Spec& spec, int rank, std::int64_t flat);
// Returns the message for an id outside [least, rows).
std::string outOfRange(const std::string& where, std::int64_t id, const std::string& position,
                       std::int64_t least, std::int64_t rows);

// As refuseBadIds(), for the class indices of a loss. Rows of class `ignored` are valid.
void refuseBadTargets(const std::string& where, const DTensorImpl& target, std::int64_t classes,
                      std::int64_t ignored);

}  // namespace shardlens
