#pragma once

#include "core/checkpoints/checkpoint.h"

namespace shardlens {

// A rule of a tensor-parallel plan of Hugging Face transformers.
struct TpRule {
  std::string pattern;  // of module or parameter names, with * for numbers: "layers.*.mlp.up_proj"
  std::string style;    // "colwise"
};

// Reads a plan: a JSON object from patterns to styles, or a config.json with such an object as
// base_model_tp_plan or tp_plan. Returns an error for other content and for unknown styles.
Result<std::vector<TpRule>> readTpPlan(const std::filesystem::path& path);

// What one rank would have of a tensor: one box, or one per packed block.
struct HeldSlices {
  const CheckpointTensor* tensor;
  std::string style;  // "" if no rule matches: the tensor is replicated
  bool isReplicated;  // each rank has the whole tensor; `rank` is 0
  int rank;
  std::vector<Box> boxes;          // empty for a rank that has no element
  std::vector<std::string> files;  // that contain them
};

// Returns the slices of each rank, in the order of the tensors. A dimension is divided into parts
// of size / ranks, rounded up. Appends problems for a dimension that is not divided evenly
// ("uneven"), and a warning for a rule that matches no tensor ("unused-rule"). `checkpoint` must
// outlive the result.
std::vector<HeldSlices> applyTpPlan(const Checkpoint& checkpoint, const std::vector<TpRule>& rules,
                                    int ranks, std::vector<CheckpointProblem>& problems);

}  // namespace shardlens
