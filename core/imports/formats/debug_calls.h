#pragma once

#include "core/imports/imported_rank.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// What DebugMode says of a call, in either of its forms.
struct DebugCall {
  enum class Kind { Operator, Redistribute, Output, Other };
  Kind kind = Kind::Other;
  std::int64_t depth = 0;
  std::string name;       // "aten::mm"; of a Redistribute "P(sum) -> R"; of an Output "S(2)"
  std::string arguments;  // "dt: f32[16, 8]| S(0), ..."
  bool isImplicit = false;
};

// Calls inside one another as their depth says. DebugMode has no times, and numbers no collectives.
class DebugCalls {
 public:
  explicit DebugCalls(ImportedRank& rank) : rank_(rank) {}
  void take(const DebugCall& call);
  void end();

 private:
  // Of an operator on sharded tensors: its placements are told when it is known whether those that
  // it gives come with them.
  struct Waiting {
    EventId op = 0;
    CandidateRecord strategy;
  };

  void takeOperator(const DebugCall& call, Event& event);
  void tellWaiting();

  ImportedRank& rank_;
  std::vector<std::pair<std::int64_t, EventId>> open_;  // depths
  std::optional<Waiting> waiting_;
};

}  // namespace shardlens
