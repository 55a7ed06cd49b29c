#include "core/compare/step_pairs.h"

#include "core/compare/sequence_matches.h"

#include <functional>
#include <iterator>
#include <span>
#include <string_view>
#include <unordered_map>

namespace shardlens {
namespace {

// "aten.embedding" of "y = aten.embedding(w, x)"; all of what is no call.
std::string_view callOf(std::string_view text) {
  const auto bracket = text.find('(');
  if (bracket == std::string_view::npos) return text;
  const auto equals = text.substr(0, bracket).rfind("= ");
  const auto begin = equals == std::string_view::npos ? 0 : equals + 2;
  return text.substr(begin, bracket - begin);
}

// What the steps of a journal are told apart by, each text looked at once.
class StepKeys {
 public:
  explicit StepKeys(const Journal& journal) : journal_(journal), steps_(stepsOf(journal)) {
    std::unordered_map<StringId, std::uint64_t> calls;
    std::unordered_map<StringId, std::uint64_t> texts;
    const std::hash<std::string_view> hash;
    for (const StepRange& step : steps_) {
      const Event event = journal_.at(step.first);
      const auto kind = static_cast<std::uint64_t>(event.kind);
      const auto [text, isNew] = texts.try_emplace(event.name);
      if (isNew) {
        text->second = hash(journal_.text(event.name));
        calls[event.name] = hash(callOf(journal_.text(event.name)));
      }
      texts_.push_back(text->second ^ kind);
      calls_.push_back(calls[event.name] ^ kind);
    }
  }

  const std::vector<StepRange>& steps() const { return steps_; }
  const std::vector<std::uint64_t>& texts() const { return texts_; }
  std::span<const std::uint64_t> calls(std::size_t begin, std::size_t end) const {
    return std::span(calls_).subspan(begin, end - begin);
  }

 private:
  const Journal& journal_;
  std::vector<StepRange> steps_;
  std::vector<std::uint64_t> texts_;
  std::vector<std::uint64_t> calls_;
};

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
  const StepKeys ours(left);
  const StepKeys theirs(right);
  std::vector<StepPair> pairs;
  SequenceMatch done;  // steps of both that are paired, or have no other
  const auto aloneUpTo = [&](SequenceMatch end) {
    for (; done.left < end.left; ++done.left) pairs.push_back({.left = ours.steps()[done.left]});
    for (; done.right < end.right; ++done.right) {
      pairs.push_back({.right = theirs.steps()[done.right]});
    }
  };
  const auto pairAt = [&](SequenceMatch match) {
    aloneUpTo(match);
    pairs.push_back({ours.steps()[match.left], theirs.steps()[match.right]});
    done = {match.left + 1, match.right + 1};
  };
  const auto betweenUpTo = [&](SequenceMatch end) {
    const SequenceMatch begin = done;
    for (const SequenceMatch& match :
         matchSequences(ours.calls(begin.left, end.left), theirs.calls(begin.right, end.right))) {
      pairAt({begin.left + match.left, begin.right + match.right});
    }
    aloneUpTo(end);
  };
  for (const SequenceMatch& match : matchSequences(ours.texts(), theirs.texts())) {
    betweenUpTo(match);
    pairAt(match);
  }
  betweenUpTo({ours.steps().size(), theirs.steps().size()});
  return pairs;
}

}  // namespace shardlens
