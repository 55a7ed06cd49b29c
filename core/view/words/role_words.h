#pragma once

#include "core/trace/merge/program_roles.h"
#include "core/view/words/placement_words.h"

#include <string>

namespace shardlens::view {

// Returns the ranks of a role, and the axes of the mesh that select them: "ranks 8-15 (pp=1)". Of
// many separate ranks only the first are listed, with their number.
std::string programRoleText(const Journal& journal, const ProgramRole& role);

// Returns the sentence of a divergence with both sides: "step 3: rank 1 ran add at train.py:23 in
// layers.1 where ranks 0,2,3 ran mul at train.py:25 in layers.1".
std::string divergenceText(const Journal& journal, const Divergence& divergence,
                           Notation notation = Notation::DTensor);

}  // namespace shardlens::view
