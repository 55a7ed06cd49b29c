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

// What a trace of Kineto's says before its events.
struct ChromeTraceHeader {
  std::optional<int> rank;
  std::string backend;
  std::map<std::string, std::string> groups;        // name and description by name, as "3 mesh_tp"
  std::map<std::string, std::vector<int>> members;  // by name
};

ChromeTraceHeader readChromeTraceHeader(ByteSource& source);

// What of a trace has become events, and what not.
struct ChromeTraceCounts {
  std::uint64_t read = 0;
  std::uint64_t leftOut = 0;  // of kinds that recordings have nothing for
  std::uint64_t cut = 0;      // spans that were open at the end
};

// The trace of one rank, Kineto's or another in Chrome's format, as events in the order in which
// they began: operators and annotations inside one another as on their thread, a ProfilerStep as a
// Step, what a GPU did as Compute on its stream. A Collective is made of record_param_comms; where
// the trace has none, as Gloo's, of the operators of c10d, of which it tells less. `folder` is
// where more events than fit in memory are put aside.
ChromeTraceCounts importChromeTrace(ByteSource& source, const ChromeTraceHeader& header,
                                    const std::filesystem::path& folder, ImportedRank& rank);

// Reads all events and keeps none: how many there are. For measuring.
std::uint64_t countChromeEvents(ByteSource& source);

}  // namespace shardlens
