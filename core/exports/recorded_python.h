#pragma once

#include "core/base/result.h"
#include "core/model/mesh.h"
#include "core/trace/snapshot/state_index.h"

#include <string>

namespace shardlens {

// Recorded tensors as Python writes them: the calls of Recorded() that templates/reproduction.py
// has. Refuses a tensor of which the recording does not have all elements, one that DTensor cannot
// place, and more elements than fit into a script, of all that it was asked for.
class RecordedPython {
 public:
  // The mesh is the recording's. The journal must outlive it.
  RecordedPython(const Journal& journal, DeviceMesh mesh)
      : journal_(journal), mesh_(std::move(mesh)), states_(journal) {}

  // `name`: by which it is refused.
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
