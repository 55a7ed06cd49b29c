#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace shardlens {

// What a sender or a receiver reports of a message.
struct MessageInfo {
  static constexpr std::int64_t kUnknown = -1;

  int sender = 0;  // a rank, or a process
  int receiver = 0;
  int otherProcess = 0;
  std::int64_t bytes = 0;  // or kUnknown, where others than Gloo carry it
  std::string dtype;
  bool incoming = false;
  bool ofProcesses = false;

  bool operator==(const MessageInfo&) const = default;
};

// "rank 0 expected 12 bytes from rank 1".
std::string described(const MessageInfo& message);

// Counts the exchanges of a process. Collectives are counted anew after each exchange of strings,
// because a process that fails in the middle of a step exchanges strings with the others before it
// has made as many collectives as they have.
struct Position {
  std::int64_t strings = 0;
  std::int64_t collectives = 0;

  auto operator<=>(const Position&) const = default;
};

// What a process posts about itself at an interval: that it is alive, where it is and, once it has
// waited for long, which messages it waits for.
struct Heartbeat {
  enum class State { Works, Waits, Left };

  int process = 0;
  int ranksPerProcess = 0;  // 0 is not known yet
  std::int64_t beat = 0;
  State state = State::Works;
  Position position;                  // of the newest exchange it began
  bool inStrings = false;             // whether that is an exchange of strings
  std::string kind;                   // of what is exchanged, "all_reduce"
  std::string step;                   // of the program
  std::string exchange;               // what it waits for; empty while it works
  std::string refusal;                // why it cannot run the step, as far as this process knows
  std::vector<MessageInfo> messages;  // of that exchange, once it waits for long
  bool allMessages = false;           // none is left out

  bool operator==(const Heartbeat&) const = default;
};

constexpr std::size_t kMostMessages = 256;

std::string toText(const Heartbeat& heartbeat);
Heartbeat heartbeatFrom(const std::string& text);

// "rank 2", "process 1 (ranks 2,3)": whom people know.
std::string nameOf(const Heartbeat& heartbeat);
// "step y, all_reduce among ranks 0-3".
std::string placeOf(const Heartbeat& heartbeat);

}  // namespace shardlens
