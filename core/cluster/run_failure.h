#pragma once

#include "core/cluster/heartbeat.h"

#include <optional>
#include <string>

namespace shardlens {

// Why a run cannot go on, and whose doing that is.
struct RunFailure {
  int process = -1;  // -1: no process's
  std::string text;
  bool isRefusal = false;  // that process refused a step, which the text says

  bool operator==(const RunFailure&) const = default;
};

std::string toText(const RunFailure& failure);
RunFailure runFailureFrom(const std::string& text);

// What a message about the place begins with: "step y: all_reduce among ranks 0-3: ".
std::string leadOf(const Heartbeat& mine);

// How long a process has waited for one message, and how the one it waits for has been meanwhile.
// Counted in beats of the one who waits: one that was stopped itself takes nobody for dead.
struct Stall {
  MessageInfo message;
  int beats = 0;
  int silent = 0;  // the other has not told anything new
  int ahead = 0;   // the other was past the exchange
};

// What one who waits sees from what itself and the other tell; nothing where the other may just
// take its time.
std::optional<RunFailure> diagnose(const Heartbeat& mine, const Heartbeat& theirs,
                                   const Stall& stall);

// Of one whose link is closed, of one who is late, and of one who has waited for too long.
RunFailure goneFailure(const Heartbeat& mine, const Heartbeat& theirs, const MessageInfo& message,
                       const std::string& reason);
std::string lateText(const Heartbeat& mine, const Heartbeat& theirs);
RunFailure timeoutFailure(const Heartbeat& mine, const Heartbeat& theirs,
                          const MessageInfo& message);

// "rank 2 failed in step y: ..." of one that refused a step, or did not begin.
RunFailure refusalFailure(const Heartbeat& who);

}  // namespace shardlens
