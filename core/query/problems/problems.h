#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/journal/journal.h"
#include "core/trace/merge/trace_reader.h"
#include "core/view/words/placement_words.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// A change to the program that avoids a problem: create `tensor` with these placements.
struct Repair {
  std::string tensor;
  Placements placements;
  bool operator==(const Repair&) const = default;
};

// Something in a recording that is wrong, suspicious, or costs more than necessary.
struct Problem {
  enum class Severity : std::uint8_t { Error, Warning };
  static constexpr std::size_t kMostEvents = 100;

  std::string rule;  // name of the rule: "implicit-redistribution"
  Severity severity = Severity::Warning;
  std::string sentence;  // description, without a full stop
  std::string advice;    // how to avoid or investigate it
  std::optional<Repair> repair = {};
  std::vector<EventId> events;  // the first kMostEvents events that show it, ascending
  std::size_t times = 0;        // total number of such events
  std::int64_t bytes = 0;       // sent because of it, in total; 0: none or unknown
  // A tensor whose placement may cause it: a program with another placement may avoid it. Empty if
  // none is known.
  std::string suspect = {};
  // Why, as far as it is known: "down3 is S(0), down0-2,4,5 are S(1)".
  std::string cause = {};
  // Where the first event comes from, as "train.py:12", "layers.3.down"; empty if unknown.
  std::string place = {};
  std::string module = {};
  // What other ranks did because of it, "rank 2 failed in all_reduce over tp; rank 0 died in
  // all_reduce over dp"; empty if nothing.
  std::string consequences = {};

  bool operator==(const Problem&) const = default;
};

// Running: more events may follow.
enum class RunState : std::uint8_t { Running, Ended };

class PlainInference;
class ProblemRule;
struct InferredPlacements;

// Searches a journal for problems incrementally, in event order. The journal may grow. Not
// thread-safe.
class ProblemSearch {
 public:
  // Keeps a reference to the journal. `lost` lists the ranks whose process died; it is copied.
  // Sentences have placements in `notation`.
  explicit ProblemSearch(const Journal& journal, const std::vector<int>& lost = {},
                         view::Notation notation = view::Notation::DTensor);
  ~ProblemSearch();

  // Replaces the list of ranks whose process died.
  void setLost(const std::vector<int>& lost) { *lost_ = lost; }
  void look(EventId most);                // reads up to `most` further events
  EventId seen() const { return seen_; }  // last event that was read
  // Returns true if a Check event (comparison with plain tensors) was read.
  bool hasSeenChecks() const { return hasSeenChecks_; }
  // Returns the problems of the events read so far: errors by first event, then warnings by the
  // bytes that they send, largest first. Repetitions, as in the steps of a loop, are one problem.
  // Mask buffers that are still held are reported only if the run is over. Problems that follow
  // from a collective of unequal sizes are left out, and those that follow from the first rank that
  // stopped are its consequences.
  std::vector<Problem> problems(RunState run) const;
  // Searches in slices for what problems() would otherwise search at once. Returns true when
  // problems() is complete. As soon as `mayGoOn` returns false, returns false, after some progress;
  // until prepare() returns true, problems() then leaves out what is not found yet.
  bool prepare(const std::function<bool()>& mayGoOn);
  // Returns the placements that are inferred for the plain tensors of a job; null if it has none.
  // The pointer changes when they are inferred again: at the end, and when a running job has
  // doubled.
  std::shared_ptr<const InferredPlacements> inferred(RunState run) const;

 private:
  const Journal& journal_;
  view::Notation notation_;
  std::shared_ptr<std::vector<int>> lost_;
  std::shared_ptr<PlainInference> inference_;
  std::shared_ptr<EventId> undefinedFrom_;  // the first collective of unequal sizes; 0: none
  std::vector<std::unique_ptr<ProblemRule>> rules_;
  EventId seen_ = 0;
  bool hasSeenChecks_ = false;
};

// Returns the problems of a whole journal; by default, of a finished run.
std::vector<Problem> findProblems(const Journal& journal, const std::vector<int>& lost = {},
                                  RunState run = RunState::Ended,
                                  view::Notation notation = view::Notation::DTensor);
// Returns the problems of the reader's journal. Includes processes that died while others are
// running.
std::vector<Problem> findProblems(TraceReader& reader,
                                  view::Notation notation = view::Notation::DTensor);
// Returns the problems that have an event in which one of these ranks took part, or no events.
std::vector<Problem> problemsOf(const std::vector<RankRange>& ranks, const Journal& journal,
                                std::vector<Problem> problems);
// Returns only the problems of the rule process-died: which ranks died, and their last event.
std::vector<Problem> diedProcesses(const Journal& journal, const std::vector<int>& lost,
                                   view::Notation notation = view::Notation::DTensor);

// Returns the names of all rules, in the order in which they are applied.
std::vector<std::string> problemRules();

}  // namespace shardlens
