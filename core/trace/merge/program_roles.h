#pragma once

#include "core/model/rank_ranges.h"
#include "core/trace/journal/journal.h"

#include <functional>
#include <memory>
#include <vector>

namespace shardlens {

// Ranks that run the same program: the same operators, redistributions and collectives, at the same
// lines and in the same modules. A pipeline stage, for example, or the ranks of an expert.
struct ProgramRole {
  std::vector<RankRange> ranks;
};

// The first step in which ranks of one role run something that the remaining ranks of the role do
// not run, and the reverse. Ranks that only run more or fewer events do not diverge: one rank
// evaluates or saves, or an expert has no input.
struct Divergence {
  struct Side {
    std::vector<RankRange> ranks;
    EventId event = 0;  // the first event that the other side does not have
  };
  int step = -1;  // as Event::step
  Side most;      // the program of most ranks
  Side other;
};

// Returns the roles of the ranks, ordered by their lowest rank. The program of a rank is that of
// most of the first 4096 steps; ranks differ in single steps, by an evaluation for example. Empty
// for a journal that is not merged, and for imported recordings, which may begin anywhere in the
// program.
std::vector<ProgramRole> programRoles(const Journal& journal);

// Returns where ranks of a role part, in order of the steps; each rank is in at most one `other`
// side. Steps that a rank has not ended count only as far as the remaining ranks have the same
// events later, or other calls of the same numbered collective. Takes time for each step of each
// process, and for the events of the steps that differ.
std::vector<Divergence> divergences(const Journal& journal);

// Searches for divergences() in slices, and again when the journal has grown. Keeps the results of
// 65,536 comparisons of steps that have ended, because reading their events takes most of the time.
// Not thread-safe.
class DivergenceSearch {
 public:
  explicit DivergenceSearch(const Journal& journal);  // keeps a reference to the journal
  ~DivergenceSearch();

  // Continues until the journal as it is now is searched, and returns true then. Returns false as
  // soon as `mayGoOn` returns false, which is called before each step and each comparison of two
  // steps whose result is not kept, but not before the first ones of a call: each call makes
  // progress. If the journal grows during a search, first completes that search, and then begins
  // the next one.
  bool search(const std::function<bool()>& mayGoOn = [] { return true; });
  // Returns true if search() has returned true for the journal as it is.
  bool isComplete() const;
  // Returns the divergences of the last complete search, in order of the steps.
  const std::vector<Divergence>& found() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace shardlens
