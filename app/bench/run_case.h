#pragma once

#include "core/base/result.h"
#include "core/model/event.h"

#include <filesystem>
#include <functional>

namespace shardlens {

// The parameters of a synthetic run of a job: a training loop on a mesh of stages x data x tensor
// parallel ranks, one recording per rank. Process groups are named by their members. Nothing is
// computed; the clock is deterministic, so equal cases give equal events. Each step takes 100 ms; a
// stage waits for the previous one, and its ranks reduce their gradients at the end.
struct RunCase {
  enum class Fault { None, Straggler, Hang, Divergence };

  int ranks = 8;    // a multiple of stages * tensorParallel
  int steps = 5;    // each of some 105 events per rank
  int stages = 1;   // of the pipeline; each has separate modules and another order of operators
  int experts = 1;  // the ranks of a data parallel group run so many different experts
  int tensorParallel = 1;
  // Straggler: `faulty` arrives 50 ms late at the reduction of the gradients, in each step. Hang:
  // in the last step it stops before its first collective, and each rank that waits for it stays in
  // that collective. Divergence: in the last step it calls reduce_scatter instead of the all_reduce
  // of the gradients.
  Fault fault = Fault::None;
  int faulty = 0;
};

// Returns a run of that many ranks with about `events` events in total, and at least one step: up
// to 16 stages, 8 experts, and tensor parallel groups of two if there are enough ranks.
RunCase runOf(int ranks, EventId events);

// Writes the recordings rank-0.shardlens, rank-1.shardlens, ... into the folder. Returns the number
// of events of all ranks. Fails if a file cannot be written. Threads write in parallel.
Result<std::int64_t> recordRun(const RunCase& of, const std::filesystem::path& folder);

// As recordRun() without faults, but all recordings grow at the same time: calls `before(step)`,
// then records that step of each rank. The calling thread records all ranks.
Result<std::int64_t> recordLiveRun(const RunCase& of, const std::filesystem::path& folder,
                                   const std::function<void(int step)>& before);

}  // namespace shardlens
