#pragma once

#include "core/tensor/dispatch/op_entry.h"

#include <string>

namespace shardlens {

// Operators that have no rule: where the run allows it, every rank runs them on whole inputs, which
// is right whatever they compute.

// All inputs replicated, and nothing else.
const Rule& wholeRule();

// Why an operator is not run so, after a colon and a space; empty where it may be. Ranks would draw
// different random numbers, and what is written, seen through the result, or large as the values
// say would be that of a copy.
std::string whyNotWhole(const OpEntry& entry);

// Why an operator of such a name will not have a rule, in the same form; empty of others.
std::string whyNoRule(const OpEntry& entry);

}  // namespace shardlens
