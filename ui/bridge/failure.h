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

// Returns the failure of a run, or nullopt if it has no error event, or Ctrl+C ended it, or its
// errors follow from a rank that left the program, and no rank is in `lost`. `lost` contains the
// ranks whose process died. Failure::at is the error of the rank that stopped first, see
// firstStopOf(), else the first error, else the last event. Failure::text has the step, the line
// and the message of this error, and a sentence about the lost ranks. Lost ranks that waited in a
// collective, and an error about a closed connection, follow from the stop of another rank: they
// are left out if it is known.
std::optional<Failure> failureOf(const Journal& journal, const std::vector<int>& lost,
                                 view::Notation notation = view::Notation::DTensor);

// Returns the problem of an abnormal end that no event records, with the message `description` (of
// EngineClient or FollowClient); empty if `description` is empty.
std::vector<Problem> endingOf(const Journal& journal, const QString& description);

}  // namespace shardlens
