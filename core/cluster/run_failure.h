#pragma once

#include "core/cluster/heartbeat.h"

#include <optional>
#include <string>

namespace shardlens {

// Why a run cannot go on, and which process's failure that is.
struct RunFailure {
  int process = -1;  // -1: no process's
  std::string text;
  bool isRefusal = false;  // that process refused a step, which the text says

  bool operator==(const RunFailure&) const = default;
};

std::string toText(const RunFailure& failure);
RunFailure runFailureFrom(const std::string& text);

// The beginning of a message, where it happened: "step y: all_reduce among ranks 0-3: ".
std::string leadOf(const Heartbeat& mine);

// How long a process has waited for one message, and what the other process did meanwhile, counted
// in heartbeats of the waiting process: one that was stopped itself takes no other for dead.
struct Stall {
  MessageInfo message;
  int beats = 0;
  int silent = 0;  // without a new heartbeat of the other
  int ahead = 0;   // while the other was past the exchange
};

// What the waiting process concludes from both heartbeats; nothing where the other may be slow.
std::optional<RunFailure> diagnose(const Heartbeat& mine, const Heartbeat& theirs,
                                   const Stall& stall);

// Of a process whose connection is closed; of one that is late; of one waited for too long.
RunFailure goneFailure(const Heartbeat& mine, const Heartbeat& theirs, const MessageInfo& message,
                       const std::string& reason);
std::string lateText(const Heartbeat& mine, const Heartbeat& theirs);
RunFailure timeoutFailure(const Heartbeat& mine, const Heartbeat& theirs,
                          const MessageInfo& message);

// "rank 2 failed in step y: ..." of one that refused a step, or did not begin.
RunFailure refusalFailure(const Heartbeat& who);

}  // namespace shardlens
