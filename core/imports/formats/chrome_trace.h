#pragma once

#include "core/imports/imported_rank.h"
#include "core/imports/input/byte_source.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// The metadata before the events of a Kineto trace. Fields are empty if there is no distributedInfo
// before the events.
struct ChromeTraceHeader {
  std::optional<int> rank;
  std::string backend;                              // "nccl"
  std::map<std::string, std::string> groups;        // groupName() by pg_name: "3 mesh_tp"
  std::map<std::string, std::vector<int>> members;  // ranks by pg_name
};

// Reads `source` up to the events. `source` cannot be used for the events afterwards. Throws
// BadDump.
ChromeTraceHeader readChromeTraceHeader(ByteSource& source);

// Counts of an imported trace.
struct ChromeTraceCounts {
  std::uint64_t read = 0;     // events in the trace
  std::uint64_t leftOut = 0;  // of them, kinds that recordings do not store; no metadata
  std::uint64_t unended = 0;  // B events without an E event
};

// Imports one rank's trace, from Kineto or another tool that writes Chrome's format. Adds events in
// the order of their start times.
// - Operators and annotations are nested by time, per thread. A ProfilerStep becomes a Step.
// - GPU work becomes Compute, nested per stream.
// - Collectives come from record_param_comms. If a trace has none, as with Gloo, they come from
//   c10d operators, which have no sequence numbers.
//
// `header` is that of the same file, and must outlive the call. Events beyond the memory limit are
// spilled to a file in `folder`. Throws BadDump.
ChromeTraceCounts importChromeTrace(ByteSource& source, const ChromeTraceHeader& header,
                                    const std::filesystem::path& folder, ImportedRank& rank);

// Reads all events without storing them and returns their number. For benchmarks.
std::uint64_t countChromeEvents(ByteSource& source);

}  // namespace shardlens
