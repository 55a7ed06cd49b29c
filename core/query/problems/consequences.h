#pragma once

#include "core/query/problems/problems.h"

#include <vector>

namespace shardlens {

// In a run of several processes, one rank stops first: it raises an error, leaves the program, or
// its process dies. Then other ranks wait for it in a collective, fail because the connection is
// closed, or are killed by the launcher. Removes the problems about ranks that waited in a
// collective which such a rank, or one that follows from it, did not call, and describes them in
// Problem::consequences of the first one's problem. If several ranks stopped for reasons of their
// own, each of their problems has its consequences. A rank that died outside of a collective keeps
// its problem, because it may have died for another reason. Returns false if the journal is that of
// one process, or if no rank is known to have stopped first; then `problems` are unchanged.
bool foldConsequences(const Journal& journal, const std::vector<int>& lost, view::Notation notation,
                      std::vector<Problem>& problems);

// Moves the problems about ranks that wait, died or were interrupted, and have no consequences,
// behind those that may be their cause. For problems of which foldConsequences() found the cause.
void putCauseFirst(const Journal& journal, std::vector<Problem>& problems);

}  // namespace shardlens
