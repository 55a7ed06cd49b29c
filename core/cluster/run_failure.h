#pragma once

#include "core/cluster/heartbeat.h"

#include <optional>
#include <string>

namespace shardlens {

// The reason why a run has ended, and the process that caused it.
struct RunFailure {
  int process = -1;  // -1 if no process caused it
  std::string text;
  bool isRefusal = false;  // the process refused a step, for the reason in `text`

  bool operator==(const RunFailure&) const = default;
};

// Convert from and to JSON. runFailureFrom() throws if the text is no failure.
std::string toText(const RunFailure& failure);
RunFailure runFailureFrom(const std::string& text);

// Returns the start of a message, which names the place: "step y: all_reduce among ranks 0-3: ".
// Leaves out the step and the exchange if they are empty.
std::string leadOf(const Heartbeat& mine);

// How long a process has waited for one message, and what the other process did meanwhile. All
// counts are in heartbeats of the waiting process, so a process that was itself stopped does not
// declare others dead.
struct Stall {
  MessageInfo message;
  int beats = 0;
  int silent = 0;  // beats without a new heartbeat of the other process
  int ahead = 0;   // beats while the other process was past the exchange
};

// Returns what the waiting process concludes from both heartbeats. nullopt if the other process may
// just be slow.
std::optional<RunFailure> diagnose(const Heartbeat& mine, const Heartbeat& theirs,
                                   const Stall& stall);

// goneFailure(): the other process has left or its connection is closed. lateText(): the warning
// about a late process. timeoutFailure(): the other process was waited for too long. `mine` is the
// waiting process.
RunFailure goneFailure(const Heartbeat& mine, const Heartbeat& theirs, const MessageInfo& message,
                       const std::string& reason);
std::string lateText(const Heartbeat& mine, const Heartbeat& theirs);
RunFailure timeoutFailure(const Heartbeat& mine, const Heartbeat& theirs,
                          const MessageInfo& message);

// The failure "rank 2 failed in step y: ..." of a process that refused a step, or did not begin.
RunFailure refusalFailure(const Heartbeat& who);

}  // namespace shardlens
