#pragma once

#include "core/query/problems/problems.h"

#include <QString>
#include <optional>
#include <vector>

namespace shardlens {

// The failure of a run: a description, and the event to show.
struct Failure {
  QString text;
  EventId at = 0;
};

// Returns the failure of a run, or nullopt if it has no error event and no rank in `lost`. `lost`
// contains the ranks whose process died. Failure::at is the first error, else the last event.
// Failure::text has one sentence per lost rank, then the step, the line and the message of the
// first error.
std::optional<Failure> failureOf(const Journal& journal, const std::vector<int>& lost,
                                 view::Notation notation = view::Notation::DTensor);

// Returns problems for an abnormal end that no event records: one per rank in `lost`, and one with
// the message `description` (of EngineClient or FollowClient) if it is not empty.
std::vector<Problem> endingOf(const Journal& journal, const std::vector<int>& lost,
                              const QString& description,
                              view::Notation notation = view::Notation::DTensor);

}  // namespace shardlens
