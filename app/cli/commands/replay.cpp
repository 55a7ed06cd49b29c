#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "core/trace/merge/trace_reader.h"
#include "core/trace/snapshot/snapshot_json.h"
#include "core/trace/snapshot/state_index.h"
#include "core/view/snapshot_text.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <iostream>

namespace shardlens::cli {

int replay(const ReplayOptions& options) {
  const auto reader = TraceReader::open(options.files);
  if (!reader) return unusable(reader.error().message);
  while ((*reader)->settle()) continue;
  const Journal& journal = (*reader)->journal();
  const std::int64_t end = journal.size();
  const std::int64_t position = options.position.value_or(end);
  if (position < 0 || position > end) {
    return unusable(fmt::format("--step: got {}, expected 0 to {}, the events of {}", position, end,
                                options.files.front().string()));
  }
  StateIndex states(journal);
  const Snapshot snapshot = states.at(static_cast<EventId>(position));
  if (options.output == Output::Words) {
    std::cout << view::snapshotText(journal, snapshot);
  } else {
    printJson(snapshotJson(journal, snapshot));
  }
  return finishOutput(sayLeftOut((*reader)->leftOut()) ? kRefused : kAllRan);
}

}  // namespace shardlens::cli
