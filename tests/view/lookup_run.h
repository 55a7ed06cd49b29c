#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/recorder/recorder.h"

namespace shardlens {

// Finds events and tensors in a recording by a linear search.
struct LookupRun {
  // Returns the event number `nth`, from 0, of this kind. Throws std::runtime_error if there is
  // none.
  static EventId find(const Journal& journal, EventKind kind, int nth = 0);
  // Returns the tensor with this name. Throws std::runtime_error if there is none.
  static TensorId tensor(const Journal& journal, const char* name);
};

// Records the gallery's first program on four ranks, as an engine would. It has w = tensor([10, 3],
// S(0)), x = [0, 9, 4, 4, 2, 7], y = embedding(w, x) with stepwise masking, and z = y reduced with
// a plan from the cache.
void recordLookup(Recorder& recorder);
void recordLookup(Journal& journal);

// Options of recordTensor(): the tensor's mesh if it differs from that of the process, and the
// ranks that the process hosts ("0,1"; null: all).
struct Recorded {
  std::optional<DeviceMesh> mesh;
  const char* hosted = nullptr;
};
// Records one tensor with these placements on this mesh ("4:tp"). Element i of the whole tensor has
// the value i.
void recordTensor(Journal& journal, const char* mesh, Shape shape, Placements placements,
                  const Recorded& recorded = {});

// Records two redistributions on a 2x2 mesh with the same two-step plan and a collective over both
// mesh dimensions. The first makes the plan, with an alternative; the second finds it in the cache.
void recordPlan(Journal& journal);

}  // namespace shardlens
