#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/merge/trace_reader.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// How the program would be without a problem: a tensor of it lies otherwise from the start.
struct Repair {
  std::string tensor;
  Placements placements;
  bool operator==(const Repair&) const = default;
};

// Something of a recording that is wrong, or that costs more than it has to.
struct Problem {
  enum class Severity : std::uint8_t { Error, Warning };
  static constexpr std::size_t kMostEvents = 100;

  std::string rule;  // "implicit-redistribution"
  Severity severity = Severity::Warning;
  std::string sentence;  // what it is, without a full stop
  std::string advice;    // what to do
  std::optional<Repair> repair = {};
  std::vector<EventId> events;  // the first of those that show it, ascending
  std::size_t times = 0;        // so many do

  bool operator==(const Problem&) const = default;
};

// Whether more events may come.
enum class RunState : std::uint8_t { GoesOn, IsOver };

class ProblemRule;

// Looks for the problems of a journal some events at a time, in the order of the events; of one
// that grows, in those that have come.
class ProblemSearch {
 public:
  // The journal has to outlive it. `lost`: the ranks whose process died.
  explicit ProblemSearch(const Journal& journal, const std::vector<int>& lost = {});
  ~ProblemSearch();

  void look(EventId most);                // at so many more events, if there are
  EventId seen() const { return seen_; }  // it has looked at the events up to this one
  // One of these says how a result compares with that of plain tensors.
  bool hasSeenChecks() const { return hasSeenChecks_; }
  // Those of the events that it has seen, errors first, then as they came. What is the same again
  // and again, as in the steps of a loop, is one. A run that goes on may yet let go of what it
  // holds.
  std::vector<Problem> problems(RunState run) const;

 private:
  const Journal& journal_;
  std::vector<std::unique_ptr<ProblemRule>> rules_;
  EventId seen_ = 0;
  bool hasSeenChecks_ = false;
};

// Those of a journal, which is whole if not said otherwise.
std::vector<Problem> findProblems(const Journal& journal, const std::vector<int>& lost = {},
                                  RunState run = RunState::IsOver);
// Those of what it has read; also which processes died, though others go on.
std::vector<Problem> findProblems(TraceReader& reader);
// Those of the ranks whose process died alone: who, and after what.
std::vector<Problem> diedProcesses(const Journal& journal, const std::vector<int>& lost);

// The names of all rules, in order.
std::vector<std::string> problemRules();

}  // namespace shardlens
