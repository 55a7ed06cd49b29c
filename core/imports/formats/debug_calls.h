#pragma once

#include "core/imports/imported_rank.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// One call in DebugMode's output, from text or JSON.
struct DebugCall {
  // Output: an operator's output placement
  enum class Kind { Operator, Redistribute, Output, Other };
  Kind kind = Kind::Other;
  std::int64_t depth = 0;   // nesting; any increasing measure, such as the indentation
  std::string name;         // "aten::mm"; Redistribute: "P(sum) -> R"; Output: "S(2)"
  std::string arguments;    // "dt: f32[16, 8]| S(0), ..."
  bool isImplicit = false;  // of a Redistribute
};

// Converts DebugMode's calls to nested events by their depth. The events have no times, and the
// collectives have no sequence numbers.
class DebugCalls {
 public:
  explicit DebugCalls(ImportedRank& rank) : rank_(rank) {}
  // Adds a call. Calls come in DebugMode's order.
  void take(const DebugCall& call);
  // Writes the pending strategy. Call once after the last call.
  void end();

 private:
  // The strategy of the last operator on sharded tensors. It is written with the next call, because
  // an Output call may follow with the output placement.
  struct Waiting {
    EventId op = 0;
    CandidateRecord strategy;
  };

  void takeOperator(const DebugCall& call, Event& event);
  void emitWaiting();

  ImportedRank& rank_;
  std::vector<std::pair<std::int64_t, EventId>> open_;  // enclosing calls: depth and event
  std::optional<Waiting> waiting_;
};

}  // namespace shardlens
