#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace shardlens {

// A message as its sender or its receiver reports it.
struct MessageInfo {
  static constexpr std::int64_t kUnknown = -1;

  int sender = 0;  // a rank, or a process if ofProcesses
  int receiver = 0;
  int otherProcess = 0;
  std::int64_t bytes = 0;  // kUnknown if something other than Gloo carries it
  std::string dtype;
  // true: this end receives the message; false: it sends it.
  bool incoming = false;
  // sender and receiver are processes, not ranks.
  bool ofProcesses = false;

  bool operator==(const MessageInfo&) const = default;
};

// Returns "rank 0 expected 12 bytes from rank 1", "rank 1 had 12 bytes for rank 0" for an outgoing
// message, or "rank 0 waited for rank 1" if the size is unknown.
std::string described(const MessageInfo& message);

// Counts the exchanges of a process. The count of collectives restarts after each exchange of
// strings: a process that fails within a step exchanges strings before it has made as many
// collectives as the others.
struct Position {
  std::int64_t strings = 0;
  std::int64_t collectives = 0;

  auto operator<=>(const Position&) const = default;
};

// The state that a process posts at each interval: that it is alive, where it is in the program,
// and which messages it has waited for since a few intervals.
struct Heartbeat {
  enum class State { Works, Waits, Left };

  int process = 0;
  int ranksPerProcess = 0;  // 0 until known
  std::int64_t beat = 0;    // grows with each interval; a peer notices if it stops
  State state = State::Works;
  Position position;                  // of the newest exchange it has begun
  bool inStrings = false;             // true if that exchange is one of strings
  std::string kind;                   // kind of the exchange, e.g. "all_reduce"
  std::string step;                   // current step of the program
  std::string exchange;               // the exchange that it waits in; empty while it works
  std::string refusal;                // why it cannot run the step, if this process knows a reason
  std::vector<MessageInfo> messages;  // pending messages of that exchange, once stalled
  bool allMessages = false;           // true if `messages` is complete

  bool operator==(const Heartbeat&) const = default;
};

// The limit of messages in a heartbeat.
constexpr std::size_t kMostMessages = 256;

// Convert from and to JSON. heartbeatFrom() throws if the text is not a heartbeat. The exception is
// nlohmann's.
std::string toText(const Heartbeat& heartbeat);
Heartbeat heartbeatFrom(const std::string& text);

// Returns the name that users know: "rank 2", "process 1 (ranks 2,3)", or "process 1" while the
// ranks are unknown.
std::string nameOf(const Heartbeat& heartbeat);
// Returns where the process is: "step y, all_reduce among ranks 0-3". Returns "the beginning"
// before the first step and exchange.
std::string placeOf(const Heartbeat& heartbeat);

}  // namespace shardlens
