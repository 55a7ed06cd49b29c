// Rules about replicas that should be equal and are not.
#include "core/model/spec.h"
#include "core/query/language/event_around.h"
#include "core/query/problems/rules/last_writes.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/query/problems/rules/reached_ranks.h"
#include "core/query/problems/rules/uncertain_join.h"
#include "core/query/problems/unwritten_memory.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace shardlens {

namespace {

using Tensors = std::set<TensorId>;

// A distinct value among replicas, and how many ranks have it.
struct Copy {
  ValueRecord value;
  Content elements;  // null: only statistics were captured
  std::size_t times = 1;
};

bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Returns the first element in which they differ, or nullopt.
std::optional<std::int64_t> difference(const Copy& a, const Copy& b, DType dtype) {
  if (a.elements == b.elements) return std::nullopt;
  const std::int64_t count = elementCount(a.value.shape);
  for (std::int64_t i = 0; i < count; ++i) {
    const double one = elementAt(dtype, a.elements->data(), i);
    if (!isSame(one, elementAt(dtype, b.elements->data(), i))) return i;
  }
  return std::nullopt;
}

bool differ(const Statistics& a, const Statistics& b) {
  return !isSame(a.min, b.min) || !isSame(a.max, b.max) || !isSame(a.mean, b.mean) ||
         a.nans != b.nans || a.zeros != b.zeros;
}

bool haveOtherHashes(const Copy& a, const Copy& b) {
  constexpr auto kHashes = CaptureLevel::Hashes;
  return a.value.level == kHashes && b.value.level == kHashes && a.value.hash != b.value.hash;
}

bool differ(const Copy& a, const Copy& b, DType dtype) {
  if (a.value.shape != b.value.shape) return true;
  if (differ(a.value.statistics, b.value.statistics) || haveOtherHashes(a, b)) return true;
  return a.elements && b.elements && difference(a, b, dtype);
}

// Returns "-1 to 2.5, mean 0.25, 3 not a number", rounded or exact.
std::string statisticsText(const Copy& copy, bool isExact) {
  const Statistics& has = copy.value.statistics;
  const auto text = [isExact](double number) {
    return isExact ? fmt::format("{}", number) : fmt::format("{:.6g}", number);
  };
  const std::string nans = has.nans == 0 ? "" : fmt::format(", {} not a number", has.nans);
  return fmt::format("{} to {}, mean {}{}", text(has.min), text(has.max), text(has.mean), nans);
}

// Returns the statistics of both: exact only if they are equal when rounded.
std::pair<std::string, std::string> statisticsTexts(const Copy& one, const Copy& other) {
  std::pair texts{statisticsText(one, false), statisticsText(other, false)};
  if (texts.first != texts.second) return texts;
  return {statisticsText(one, true), statisticsText(other, true)};
}

// "9 on rank 2 at [3], 4 on rank 0". The index is that in the global tensor.
std::string differenceText(const Journal& journal, TensorId tensor, const Copy& odd,
                           const Copy& usual) {
  const DType dtype = journal.tensor(tensor).dtype;
  const int rank = odd.value.rank, other = usual.value.rank;
  if (odd.value.shape != usual.value.shape) {
    return fmt::format("{} on rank {}, {} on rank {}", toText(odd.value.shape), rank,
                       toText(usual.value.shape), other);
  }
  if (!odd.elements || !usual.elements) {
    if (!differ(odd.value.statistics, usual.value.statistics)) {
      return fmt::format(
          "other hashes on rank {} and rank {} (record with --values all to see elements)", rank,
          other);
    }
    const auto [has, hasOther] = statisticsTexts(odd, usual);
    return fmt::format("{} on rank {}, {} on rank {}", has, rank, hasOther, other);
  }
  const std::int64_t at = difference(odd, usual, dtype).value_or(0);
  return fmt::format("{} on rank {} at {}, {} on rank {}",
                     elementText(dtype, odd.elements->data(), at), rank,
                     toText(globalIndexOf(journal, tensor, rank, odd.value.shape, at)),
                     elementText(dtype, usual.elements->data(), at), other);
}

// copies-differ: compares the replicas of each result. Reports where they begin to differ: not what
// was computed from them, nor what plain tensors made of them on the ranks that they have reached.
// Does not compare memory that is allocated and not written, nor a result for which the merge may
// have joined different ones; see isUncertainJoin().
class CopiesThatDiffer final : public ProblemRule {
 public:
  explicit CopiesThatDiffer(const Journal& journal)
      : ProblemRule(journal, "copies-differ", Problem::Severity::Error) {}

  bool judgesOutcomes() const override { return true; }
  // Delays the comparison, because values may arrive after their event. Compares many results in
  // turn, because counting the values takes time for each process of a run.
  void take(EventId id, const Event& event) override {
    while (!differing_.empty() && (journal_.at(differing_.front()).step < event.step ||
                                   differing_.size() > kMostDiffering)) {
      report(differing_.front(), found_);
      differing_.pop_front();
    }
    if (event.kind != EventKind::Result || event.subject == 0) return;
    open_.push_back(id);
    if (open_.size() <= kMostOpen + kInTurn) return;
    const auto end = open_.begin() + kInTurn;
    judge({open_.begin(), end}, differing_, known_);
    open_.erase(open_.begin(), end);
  }

  std::vector<Problem> problems(RunState /*run*/) const override {
    Found found = found_;
    Known known = known_;
    auto differing = differing_;
    judge({open_.begin(), open_.end()}, differing, known);
    for (const EventId id : differing) report(id, found);
    return found.problems();
  }

 private:
  static constexpr std::size_t kMostOpen = 16, kMostDiffering = 64;
  static constexpr std::ptrdiff_t kInTurn = 64;
  static constexpr std::size_t kMostRanks = 4096;

  // What is known to differ: tensors, and the ranks that their data may have reached.
  struct Known {
    Tensors tensors = {};
    UnwrittenMemory unwritten = {};
    ReachedRanks ranks = {};
  };

  void judge(const std::vector<EventId>& results, std::deque<EventId>& differing,
             Known& known) const {
    if (journal_.values().size() == 0) return;
    for (const EventId id : results) judge(id, differing, known);
  }

  // Compares the replicas of a Result. Adds what differs to `known`, and the Result to `differing`
  // if its replicas are the first that differ.
  void judge(EventId id, std::deque<EventId>& differing, Known& known) const {
    const TensorId tensor = journal_.at(id).subject;
    if (known.unwritten.follow(journal_, id)) return;
    known.unwritten.write(tensor);
    for (const auto& ranks : copiesOf(journal_.specOf(tensor))) {
      const auto copies = copiesOn(ranks, tensor, id);
      if (copies.size() < 2) continue;
      known.ranks.spread(journal_, id);
      const Copy& odd = oddOf(copies);
      const Copy& usual = usualOf(copies);
      const bool isReached =
          known.ranks.contains(odd.value.rank) || known.ranks.contains(usual.value.rank);
      const bool isInherited = known.tensors.contains(tensor) || comesFrom(id, known.tensors) ||
                               (isReached && hasUnknownSource(id, odd.value.rank));
      known.tensors.insert(tensor);
      known.ranks.add(odd.value.rank, id);
      if (odd.times == usual.times) known.ranks.add(usual.value.rank, id);  // either may be wrong
      if (!isInherited) differing.push_back(id);
      return;
    }
  }

  // Reports the first replicas of a Result that differ, unless the ranks may have recorded
  // different Results. Whether they have is known when the step has ended.
  void report(EventId id, Found& found) const {
    const TensorId tensor = journal_.at(id).subject;
    for (const auto& ranks : copiesOf(journal_.specOf(tensor))) {
      const auto copies = copiesOn(ranks, tensor, id);
      if (copies.size() < 2) continue;
      if (!isUncertainJoin(journal_, id, ranks)) {
        report(id, tensor, oddOf(copies), usualOf(copies), found);
      }
      return;
    }
  }

  // Returns true if a tensor that the result was made from has no value on the rank, or if the
  // result was made from plain tensors.
  bool hasUnknownSource(EventId id, int rank) const {
    const auto isUnknown = [&](TensorId input) { return !journal_.value(input, rank, id); };
    const EventId move = aroundOf(journal_, id, EventKind::Redistribute);
    if (move == 0 && aroundOf(journal_, id, EventKind::Operator) == 0) return true;
    return std::ranges::any_of(inputsOf(journal_, id), isUnknown);
  }

  // Returns true if a tensor that the result was made from is in `known`.
  bool comesFrom(EventId id, const Tensors& known) const {
    const auto isKnown = [&](TensorId input) { return known.contains(input); };
    const EventId call = aroundOf(journal_, id, EventKind::Operator);
    return std::ranges::any_of(inputsOf(journal_, id), isKnown) ||
           (call != 0 && std::ranges::any_of(journal_.inputs(call), isKnown));
  }

  // Returns the rarest value. If all values are equally frequent, that is the second one, because
  // usualOf() returns the first.
  static bool isRarer(const Copy& a, const Copy& b) { return a.times < b.times; }
  static const Copy& oddOf(const std::vector<Copy>& copies) {
    const auto rarest = std::min_element(copies.begin(), copies.end(), isRarer);
    return rarest->times == usualOf(copies).times ? copies[1] : *rarest;
  }
  static const Copy& usualOf(const std::vector<Copy>& copies) {
    return *std::max_element(copies.begin(), copies.end(), isRarer);
  }

  void report(EventId id, TensorId tensor, const Copy& odd, const Copy& usual, Found& found) const {
    const std::string name = view::tensorName(journal_, tensor);
    auto& problem = found.add(name, id).problem;
    if (!problem.sentence.empty()) return;
    problem.sentence =
        fmt::format("copies of {} differ: {}", name, differenceText(journal_, tensor, odd, usual));
    // Of two values that are equally frequent, either may be wrong.
    std::vector<int> suspects{odd.value.rank};
    if (odd.times == usual.times) suspects.insert(suspects.begin(), usual.value.rank);
    problem.advice = fmt::format(
        "copies must be equal: check what produced it on {}, and whether all ranks had the same "
        "inputs{}",
        view::ranksLabel(suspects), lastWritesText(journal_, id, odd.value, usual.value));
  }

  // Returns the groups of two or more ranks that hold the same elements of tensors with this spec.
  const std::vector<std::vector<int>>& copiesOf(SpecId id) const {
    const auto known = copies_.find(id);
    if (known != copies_.end()) return known->second;
    auto& copies = copies_[id];
    const Spec& spec = journal_.spec(id);
    const auto mesh = meshOf(journal_, spec.mesh);
    if (!mesh || spec.placements.size() != static_cast<std::size_t>(mesh->ndim()) ||
        mesh->ranks().size() > kMostRanks) {
      return copies;
    }
    std::map<std::vector<int>, std::vector<int>> groups;
    for (const int rank : mesh->ranks()) {
      auto place = mesh->coordinate(rank);
      for (std::size_t dim = 0; dim < place.size(); ++dim) {
        if (isReplicate(spec.placements[dim])) place[dim] = 0;
      }
      place.push_back(mesh->replica(rank));
      groups[place].push_back(rank);
    }
    for (auto& [place, ranks] : groups) {
      if (ranks.size() > 1) copies.push_back(std::move(ranks));
    }
    return copies;
  }

  // Returns true if the value is an earlier one although the rank took part in the event, or may
  // take part in it later: a rank that still runs may not have written the event or the value yet.
  bool isOutdated(const ValueRecord& value, EventId id) const {
    return journal_.isMerged() && value.event != id &&
           (journal_.part(id, value.rank) || !hasContinuedAfter(journal_, value.rank, id));
  }

  // Returns the distinct values of these ranks.
  std::vector<Copy> copiesOn(const std::vector<int>& ranks, TensorId tensor, EventId id) const {
    std::vector<Copy> copies;
    const DType dtype = journal_.tensor(tensor).dtype;
    for (const int rank : ranks) {
      auto value = journal_.value(tensor, rank, id);
      if (!value || isOutdated(*value, id)) continue;
      // In one file, equal contents share an id. This avoids comparing elements.
      const bool isLikeLast = !journal_.isMerged() && !copies.empty() && value->content != 0 &&
                              value->content == copies.back().value.content &&
                              value->shape == copies.back().value.shape;
      if (isLikeLast) {
        ++copies.back().times;
        continue;
      }
      Copy copy{std::move(*value), nullptr};
      copy.elements = journal_.elements(copy.value);
      const auto alike = std::find_if(copies.begin(), copies.end(),
                                      [&](const Copy& each) { return !differ(each, copy, dtype); });
      if (alike == copies.end()) {
        copies.push_back(std::move(copy));
      } else {
        ++alike->times;
      }
    }
    return copies;
  }

  std::deque<EventId> open_;       // ascending
  std::deque<EventId> differing_;  // ascending; results of the current step that are to be reported
  Known known_;
  mutable std::unordered_map<SpecId, std::vector<std::vector<int>>> copies_;
};

}  // namespace

void addCopyRules(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<CopiesThatDiffer>(journal));
}

}  // namespace shardlens
