#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace shardlens {

// A message as its sender or its receiver tells of it.
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

// Which exchange of a run: collectives are counted anew whenever all processes have exchanged
// words, for one that fails in the middle of a step speaks with the others before they have made
// as many.
struct Position {
  std::int64_t words = 0;
  std::int64_t collectives = 0;

  auto operator<=>(const Position&) const = default;
};

// What a process tells the others of itself, over and over: that it lives, where it is and, when it
// waits for long, for what.
struct Heartbeat {
  enum class State { Works, Waits, Left };

  int process = 0;
  int ranksPerProcess = 0;  // 0 is not known yet
  std::int64_t beat = 0;
  State state = State::Works;
  Position position;     // of the newest exchange it began
  bool speaks = false;   // that one is of words
  std::string kind;      // of what is exchanged, "all_reduce"
  std::string step;      // what the program is at
  std::string exchange;  // what it waits for; empty while it works
  std::string refusal;   // why it does not go on with the step, as far as it can tell alone
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
