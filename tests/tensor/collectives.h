#pragma once

#include "core/trace/journal/journal.h"
#include "tests/tensor/ranks.h"

#include <string>

namespace shardlens {

// Runs the call and returns the kinds of its collectives, in order: "all_gather all_reduce".
// Removes all sinks of the recorder afterwards.
template <class Call>
std::string collectivesOf(Runtime& runtime, Call call) {
  Journal journal;
  runtime.recorder().addSink(journal);
  call();
  runtime.recorder().removeSinks();
  std::string kinds;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const auto& event = journal.at(id);
    if (event.kind != EventKind::Collective) continue;
    kinds += (kinds.empty() ? "" : " ") + std::string(journal.name(event));
  }
  return kinds;
}

}  // namespace shardlens
