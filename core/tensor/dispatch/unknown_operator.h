#pragma once

#include "core/tensor/dispatch/op_entry.h"

#include <string>

namespace shardlens {

// Operators that have no rule: with UnknownOperators::Replicated, every rank runs them on whole
// inputs, which gives the right result for any operator that whyNotWhole() allows.

// Returns the rule whose only strategy replicates all inputs.
const Rule& wholeRule();

// Returns why an operator cannot run on whole inputs, in the form ": reason"; empty if it can.
// Random numbers would differ between ranks. Writes, results that share memory, and sizes that
// depend on values would apply to a redistributed copy.
std::string whyNotWhole(const OpEntry& entry);

// Returns why an operator with this name will never have a rule, in the same form; else empty.
std::string whyNoRule(const OpEntry& entry);

}  // namespace shardlens
