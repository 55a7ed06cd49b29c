#pragma once

#include "core/base/result.h"
#include "core/trace/events/open_segments.h"
#include "core/trace/file/database.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace shardlens {

// Totals of the events of one kind, or of the collectives of one kind and process group. The texts
// are empty for other events than collectives.
struct GroupTotals {
  EventKind kind = EventKind::Step;
  Verdict verdict = Verdict::None;
  std::string name;   // of a collective: "all_reduce"
  std::string axis;   // see axisOf()
  std::string ranks;  // the groups: "0-3"
  std::string group;  // the process group; empty if unknown
  Totals totals;

  bool operator==(const GroupTotals&) const = default;
};

using Metadata = std::map<std::string, std::string, std::less<>>;

// Returns a hash of the scenario that the metadata of a recording or of its summary has; "" if
// there is none.
std::string scenarioHash(const Metadata& meta);

// What the events of one recording amount to. Of a recording that is complete, the summary follows
// from its segments, without reading events.
struct RecordingSummary {
  // The metadata, without program and scenario texts. Has the hash of the scenario at the key
  // "scenario_hash".
  Metadata meta;
  bool isClosed = false;  // the writer closed the recording
  std::int64_t events = 0;
  std::int64_t segments = 0;
  std::int64_t running = 0;  // spans that have not ended
  std::int64_t implicit = 0;
  std::int32_t leastStep = -1, greatestStep = -1;  // as Event::step
  std::int64_t begin = 0, end = 0;                 // see EventTotals
  std::uint64_t program = 0;                       // see Segment
  std::vector<GroupTotals> totals;

  std::int64_t count(EventKind kind) const;
  bool operator==(const RecordingSummary&) const = default;
};

// Reads the segments of a recording: consecutive from event 1, as far as they are sealed. Empty for
// a recording of format 5.0 or before. Throws DatabaseError if one is damaged.
std::vector<Segment> readSegments(Database& database);

// How a summary counts events that are not in a segment: those of an active or killed writer, and
// of format 5.0 or before. Read: reads all events of the recording. LeaveOut: counts the segments
// only, and the recording as not closed.
enum class Unsealed : std::uint8_t { Read, LeaveOut };

// Summarises a recording. Reads its segments. Returns an error that names the file, as
// openRecording() does, and if a segment is damaged.
Result<RecordingSummary> summarize(const std::filesystem::path& path,
                                   Unsealed unsealed = Unsealed::Read);

}  // namespace shardlens
