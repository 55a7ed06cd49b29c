#pragma once

#include "core/memory/kernel_calls.h"
#include "core/tensor/dtensor.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// Note [Checks of ids on GPUs]
// A lookup on a GPU does not wait for the check of its ids: the check is queued, the lookup gives
// zeros for ids outside the table, and settle() refuses later. Ids that were checked for a table
// are not checked again for that table or a larger one, as long as their tensor is not written
// (DTensorImpl::areKnownIds()). In a run of several processes, and for operators that must not see
// bad ids, the check waits.

// The checks of ids that are queued on GPUs, of all runtimes of a run. Not thread-safe.
class QueuedIdChecks {
 public:
  // A lookup's ids and the checks of the hosted ranks' parts.
  struct Lookup {
    struct Part {
      at::Tensor ids;
      int rank;
      kernel_calls::QueuedIdCheck firstBad;
    };
    std::string name;
    LayoutPtr layout;  // of the ids
    std::int64_t rows;
    int step;                         // see Recorder::step()
    std::shared_ptr<KnownIds> known;  // may be null; withdrawn if the check fails
    std::vector<Part> parts;
  };

  // Adds a lookup. Waits for the oldest one if there are kMost. Throws Refusal as settle().
  void add(Lookup lookup);
  // Blocks until the checks have run. Throws Refusal if a lookup had a bad id; the message names
  // the first such lookup. The checks after it are dropped, and run again with the next lookup.
  void settle();
  // Returns the step of the lookup that was refused last; nullopt if none was.
  std::optional<int> refusedStep() const { return refusedStep_; }

  static constexpr std::size_t kMost = 64;

 private:
  void settleFirst();

  std::deque<Lookup> lookups_;
  std::optional<int> refusedStep_;
};

}  // namespace shardlens
