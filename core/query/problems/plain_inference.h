#pragma once

#include "core/inference/inference.h"
#include "core/query/problems/problems.h"

#include <memory>

namespace shardlens {

// The placements inferred from a journal that may grow. They are inferred again only when the
// journal has doubled, and at the end of the run.
class PlainInference {
 public:
  // Keeps a reference to the journal.
  explicit PlainInference(const Journal& journal) : journal_(journal) {}

  // Reads an event; call it for each event of the journal.
  void take(const Event& event) {
    hasPlain_ |= event.kind == EventKind::Operator && event.detail != 0;
  }
  // Returns null if the journal has no operators on plain tensors.
  const std::shared_ptr<const InferredPlacements>& of(RunState run) {
    const bool isNew =
        run == RunState::Ended ? journal_.size() != size_ : journal_.size() > 2 * size_;
    if (!hasPlain_ || !isNew) return inferred_;
    size_ = journal_.size();
    auto found = inferPlacements(journal_);
    inferred_ = found.tensors.empty()
                    ? nullptr
                    : std::make_shared<const InferredPlacements>(std::move(found));
    return inferred_;
  }

 private:
  const Journal& journal_;
  bool hasPlain_ = false;  // a detail of an operator, which those on plain tensors have
  EventId size_ = 0;       // of the journal at the last inference
  std::shared_ptr<const InferredPlacements> inferred_;
};

}  // namespace shardlens
