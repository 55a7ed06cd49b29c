#include "core/tensor/local/masked.h"

#include "core/base/check.h"

namespace shardlens {

std::optional<MaskedLookup> MaskedLookup::of(const LocalCall& call) {
  if (!call.plan.fusesMask) return {};
  MaskedLookup lookup;
  lookup.mesh_ = call.runtime.mesh().get();
  lookup.placements_ = &call.plan.outputs.front()->spec.placements;
  lookup.looks_ =
      call.runtime.recorder().recordsValues() && call.runtime.comm().deviceType() != at::kMeta;
  for (const auto& placement : *lookup.placements_) {
    lookup.masked_ = std::get_if<MaskPartial>(&placement);
    if (lookup.masked_ != nullptr) return lookup;
  }
  SL_CHECK(false, "what masks ids gives a result that is to be masked");
  return {};
}

std::vector<int> MaskedLookup::meshDims() const {
  std::vector<int> dims;
  for (std::size_t dim = 0; dim < placements_->size(); ++dim) {
    if (isMaskPartial((*placements_)[dim])) dims.push_back(static_cast<int>(dim));
  }
  return dims;
}

}  // namespace shardlens
