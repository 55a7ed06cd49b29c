#pragma once

#include "core/trace/journal/journal.h"

#include <cstddef>
#include <string>
#include <vector>

namespace shardlens {

// Something of a recording that is wrong, or that costs more than it has to.
struct Problem {
  enum class Severity : std::uint8_t { Error, Warning };
  static constexpr std::size_t kMostEvents = 100;

  std::string rule;  // "implicit-redistribution"
  Severity severity = Severity::Warning;
  std::string sentence;         // what it is, without a full stop
  std::string advice;           // what to do
  std::vector<EventId> events;  // the first of those that show it, ascending
  std::size_t times = 0;        // so many do
};

// Those of a journal, errors first, then as they came. What is the same again and again, as in the
// steps of a loop, is one.
std::vector<Problem> findProblems(const Journal& journal);

// The names of all rules, in order.
std::vector<std::string> problemRules();

}  // namespace shardlens
