#include "core/compare/step_pairs.h"

#include "core/compare/event_keys.h"

namespace shardlens {
namespace {

KeyedSequence keysOf(const Journal& journal, const std::vector<StepRange>& steps) {
  EventKeys keys(journal);
  KeyedSequence sequence;
  for (const StepRange& step : steps) keys.add(journal.at(step.first), sequence);
  return sequence;
}

}  // namespace

std::vector<StepRange> stepsOf(const Journal& journal) {
  std::vector<StepRange> steps;
  for (EventId id = 1; id <= journal.size(); ++id) {
    if (journal.at(id).parent == 0) {
      steps.push_back({id, id});
    } else if (!steps.empty()) {
      steps.back().last = id;
    }
  }
  return steps;
}

std::vector<StepPair> pairSteps(const Journal& left, const Journal& right) {
  const auto ours = stepsOf(left);
  const auto theirs = stepsOf(right);
  std::vector<StepPair> pairs;
  SequenceMatch done;  // steps that are already in `pairs`
  const auto aloneUpTo = [&](const SequenceMatch& end) {
    for (; done.left < end.left; ++done.left) pairs.push_back({.left = ours[done.left]});
    for (; done.right < end.right; ++done.right) pairs.push_back({.right = theirs[done.right]});
  };
  for (const SequenceMatch& match : matchSequences(keysOf(left, ours), keysOf(right, theirs))) {
    aloneUpTo(match);
    pairs.push_back({ours[match.left], theirs[match.right]});
    done = {match.left + 1, match.right + 1};
  }
  aloneUpTo({ours.size(), theirs.size()});
  return pairs;
}

}  // namespace shardlens
