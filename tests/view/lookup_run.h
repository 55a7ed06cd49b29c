#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/journal/recorder.h"

namespace shardlens {

// What an engine would record of the gallery's first program: w = tensor([10, 3], S(0)) on four
// ranks, x = [0, 9, 4, 4, 2, 7], y = embedding(w, x) with its masks one by one, z = y reduced. With
// a second look-up of the same y the plan is found in its cache.
struct LookupRun {
  // Where in it something happens: events of that kind, in order.
  static EventId find(const Journal& journal, EventKind kind, int nth = 0);
  static TensorId tensor(const Journal& journal, const char* name);
};

void recordLookup(Recorder& recorder);
void recordLookup(Journal& journal);

// Not the look-up but one tensor: placed like this on this mesh ("4:tp"), element i having the
// value i, with events to step through. It may lie on a mesh of its own, and the process may host
// some of the ranks only ("0,1").
struct Recorded {
  std::optional<DeviceMesh> mesh;
  const char* hosted = nullptr;
};
void recordTensor(Journal& journal, const char* mesh, Shape shape, Placements placements,
                  const Recorded& recorded = {});

// Also a plan with two steps and an alternative, remembered by the plan cache and found there
// again, and a collective over both dimensions of a 2x2 mesh.
void recordPlan(Journal& journal);

}  // namespace shardlens
