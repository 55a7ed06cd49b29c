#pragma once

#include "core/model/placement.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardlens {

// What a program states of a plain tensor along one axis of ranks, in the notation of spmd_types.
//
//   Replicate  the ranks have equal values; each has a part of the sum that is the gradient
//   Invariant  the ranks have equal values, and equal gradients
//   Varying    each rank has its own values, which together need not be a tensor
//   Partial    each rank has an addend of the values
//
// A Shard of spmd_types is a placement, and Varying in this notation.
enum class LocalType : std::uint8_t { Replicate, Invariant, Varying, Partial };

std::string_view toText(LocalType type);  // "R", "I", "V", "P"
// Returns nullopt for other text. Inverse of toText().
std::optional<LocalType> parseLocalType(std::string_view text);
// Returns the placement that follows from a type; nullopt for Varying.
std::optional<Placement> placementOf(LocalType type);

}  // namespace shardlens
