#pragma once

#include "core/base/result.h"
#include "core/model/mesh.h"
#include "core/trace/snapshot/state_index.h"

#include <string>

namespace shardlens {

// Converts recorded tensors to Python source: the Recorded(...) calls of templates/reproduction.py.
class RecordedPython {
 public:
  // `mesh` is used for tensors that have no mesh recorded. The journal must outlive this object.
  RecordedPython(const Journal& journal, DeviceMesh mesh)
      : journal_(journal), mesh_(std::move(mesh)), states_(journal) {}

  // Returns the Recorded(...) call of the tensor at the position. Returns an error if a rank's
  // elements were not recorded, if DTensor lacks a placement, or if several placements are masked.
  // Also fails once all calls of this object together have more than a million elements, where
  // equal shards count once, and masks count too. Errors about missing elements and several masks
  // name the tensor `name`. `tensor` must be from 1 to journal.tensors(). The call of a masked
  // tensor contains its mask.
  Result<std::string> text(TensorId tensor, const std::string& name, EventId position);

 private:
  Result<std::string> shardsText(TensorId tensor, const std::string& name, const DeviceMesh& mesh,
                                 EventId position);

  const Journal& journal_;
  DeviceMesh mesh_;
  StateIndex states_;
  std::int64_t elements_ = 0;
};

}  // namespace shardlens
