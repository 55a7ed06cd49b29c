// Rules about runs of several processes: ranks that wait, call another collective, or died.
#include "core/model/byte_count.h"
#include "core/model/rank_ranges.h"
#include "core/model/ranks_text.h"
#include "core/query/problems/rules/absence_rule.h"
#include "core/trace/journal/collective_groups.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/merge/merged_parts.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

namespace shardlens {

namespace {

// collective-mismatch: ranks called different collectives at the same place. Sets `mismatch` to the
// first one.
class Mismatch final : public AbsenceRule {
 public:
  Mismatch(const Journal& journal, SharedAbsences absences, std::shared_ptr<EventId> mismatch)
      : AbsenceRule(journal, std::move(absences), "collective-mismatch", Problem::Severity::Error),
        mismatch_(std::move(mismatch)) {}

 private:
  void judge(EventId id, Found& found) const override {
    const Event event = journal_.at(id);
    const auto wait = view::collectiveWait(journal_, id);
    if (!wait || wait->instead == 0) return;
    if (*mismatch_ == 0 || id < *mismatch_) *mismatch_ = id;
    // Both collectives are suspects. Report the one that most ranks called, and the ranks that did
    // not call it; of two that as many called, the first.
    auto& problem =
        found.add(std::to_string(event.group) + "/" + std::to_string(event.sequence), id).problem;
    const auto members = rankCount(parseRankRanges(journal_.text(event.ranks)));
    const bool isOfMost = members > 2 * static_cast<std::int64_t>(wait->missing.size());
    if (!problem.sentence.empty() && !isOfMost) return;
    problem.sentence = fmt::format(
        "{} called {} where {} called {}", view::ranksLabel(wait->callers),
        view::insteadText(journal_, *wait), othersText(*wait),
        view::collectiveText(journal_, event) + view::placeOfAlike(journal_, id, wait->instead));
    problem.advice =
        "all ranks of a process group must call the same collectives in the same order";
    if (!wait->waiting.empty()) {
      problem.advice +=
          fmt::format("; {} wait{} for {}", view::ranksLabel(wait->waiting),
                      wait->waiting.size() == 1 ? "s" : "", view::ranksLabel(wait->missing));
    }
  }

  // Returns the ranks that called the event: "the other ranks" unless some called neither.
  std::string othersText(const view::CollectiveWait& wait) const {
    if (wait.callers.size() == wait.missing.size()) return "the other ranks";
    return view::ranksLabel(view::callersOf(journal_, wait));
  }

  std::shared_ptr<EventId> mismatch_;
};

// unequal-sizes: ranks of a group send different sizes in a collective that requires equal ones.
class UnequalSizes final : public ProblemRule {
 public:
  UnequalSizes(const Journal& journal, std::shared_ptr<EventId> undefinedFrom)
      : ProblemRule(journal, "unequal-sizes", Problem::Severity::Error),
        undefinedFrom_(std::move(undefinedFrom)) {}

  void take(EventId id, const Event& event) override {
    if (event.kind != EventKind::Collective || !journal_.isMerged() || !needsEqual(event)) return;
    for (const auto& group : groups_.of(journal_, event)) {
      if (compare(group, id, event)) return;
    }
  }

 private:
  // Reports the first rank of the group whose size differs. Returns false if all are equal.
  bool compare(const std::vector<int>& group, EventId id, const Event& event) {
    std::optional<std::int64_t> first;
    int of = 0;
    for (const int rank : group) {
      const auto part = journal_.part(id, rank);
      if (!part || part->bytes == 0) continue;  // none or unknown
      if (!first) first = part->bytes, of = rank;
      if (part->bytes == *first) continue;
      if (*undefinedFrom_ == 0) *undefinedFrom_ = id;
      auto& problem = found_.add(std::string(journal_.name(event)), id).problem;
      if (!problem.sentence.empty()) return true;
      problem.sentence =
          fmt::format("{}: rank {} sent {}, rank {} {}", view::collectiveText(journal_, event), of,
                      byteCountText(*first), rank, byteCountText(part->bytes));
      problem.advice = "the tensors differ in shape or dtype: all ranks need the same";
      return true;
    }
    return false;
  }

  // DTensor pads the parts that it gathers or scatters along a mesh dimension. Those of other
  // callers, and of the engine, may have different sizes.
  bool needsEqual(const Event& event) const {
    const CollectiveKind kind = event.collective();
    if (kind == CollectiveKind::AllGather || kind == CollectiveKind::ReduceScatter) {
      return event.meshDim >= 0 && journal_.meta("backend").starts_with("DTensor");
    }
    return kind == CollectiveKind::AllReduce || kind == CollectiveKind::Broadcast ||
           kind == CollectiveKind::Reduce;
  }

  std::shared_ptr<EventId> undefinedFrom_;
  CollectiveGroups groups_;
};

// rank-that-waits: ranks wait in a collective that others did not call. Not reported if these are
// held up themselves: the collective in which they wait is reported. Reports nothing if a
// collective had unequal sizes, even if the wait began before, because that error stops its ranks,
// and nothing from the first mismatch on: ranks wait for those that called something else.
class Waiting final : public AbsenceRule {
 public:
  Waiting(const Journal& journal, SharedAbsences absences, std::shared_ptr<EventId> undefinedFrom,
          std::shared_ptr<EventId> mismatch)
      : AbsenceRule(journal, std::move(absences), "rank-that-waits", Problem::Severity::Error),
        undefinedFrom_(std::move(undefinedFrom)),
        mismatch_(std::move(mismatch)) {}

 private:
  void judge(EventId id, Found& found) const override {
    if (*undefinedFrom_ != 0 || (*mismatch_ != 0 && id >= *mismatch_)) return;
    const auto wait = view::collectiveWait(journal_, id);
    if (!wait || wait->waiting.empty()) return;
    if (std::ranges::all_of(wait->missing, [this](int rank) { return isHeldUp(rank); })) return;
    auto& problem = found.add(std::to_string(id), id).problem;
    problem.sentence =
        view::collectiveText(journal_, journal_.at(id)) + ": " + view::waitText(journal_, *wait);
    const int first = wait->missing.front();
    problem.advice = fmt::format("see the last events of {} with shardlens show --rank {}",
                                 view::ranksLabel(wait->missing), first);
  }

  // Returns the newest collective in which the rank waits for others, or 0. Only a new event makes
  // a rank wait.
  EventId waitOf(int rank) const {
    if (searched_ != journal_.size()) findWaits();
    auto found = waits_.find(rank);
    if (found != waits_.end() && !isIn(found->second, rank)) {  // it has returned
      findWaits();
      found = waits_.find(rank);
    }
    return found == waits_.end() ? 0 : found->second;
  }

  bool isIn(EventId id, int rank) const {
    const auto part = journal_.part(id, rank);
    return part && part->duration == Event::kRunning;
  }

  // Finds the waits of all ranks in the last events. Each rank adds its own events to the journal.
  void findWaits() const {
    constexpr EventId kSearched = 4096, kOfRank = 64;
    waits_.clear();
    searched_ = journal_.size();
    const auto ranks = static_cast<EventId>(rankCount(hostedRanges(journal_)));
    const EventId most = std::max(kSearched, kOfRank * ranks);
    for (EventId id = searched_; id > 0 && searched_ - id < most; --id) {
      const Event event = journal_.at(id);
      if (!isSuspect(id, event)) continue;
      for (const auto& group : parseRanks(journal_.text(event.ranks))) {
        for (const int rank : group) {
          if (isIn(id, rank)) waits_.try_emplace(rank, id);
        }
      }
    }
  }

  // Returns true if the rank waits for a rank that is not waiting, directly or through others.
  // False for ranks that wait for each other.
  bool isHeldUp(int rank) const {
    std::vector<int> chain;
    while (std::ranges::count(chain, rank) == 0) {
      chain.push_back(rank);
      const EventId wait = waitOf(rank);
      if (wait == 0) return chain.size() > 1;
      rank = missingMembers(journal_, wait).front();
    }
    return false;
  }

  std::shared_ptr<EventId> undefinedFrom_, mismatch_;
  mutable std::unordered_map<int, EventId> waits_;  // by rank
  mutable EventId searched_ = 0;                    // size of the journal in which they were found
};

// absent-rank: in imported dumps, a collective lacks ranks. The ranks that called it may have
// returned, so they need not be waiting.
class Absent final : public AbsenceRule {
 public:
  Absent(const Journal& journal, SharedAbsences absences)
      : AbsenceRule(journal, std::move(absences), "absent-rank", Problem::Severity::Warning) {}

 private:
  void judge(EventId id, Found& found) const override {
    if (!isImported(journal_)) return;
    const Event event = journal_.at(id);
    const auto wait = view::collectiveWait(journal_, id);
    if (!wait || !wait->waiting.empty() || wait->instead != 0) return;
    auto& problem = found.add(std::to_string(event.group), id).problem;
    if (!problem.sentence.empty()) return;
    problem.sentence =
        view::collectiveText(journal_, event) + ": " + view::waitText(journal_, *wait);
    problem.advice = "either the rank did not call it, or its dump begins later or ends earlier";
  }
};

// process-died: processes ended without closing their recordings. One problem for all, because a
// launcher kills all ranks of a job after the first one dies. Its first event is the earliest of
// the ranks' last ones. At most kMostShown of these are named.
class Died final : public ProblemRule {
 public:
  Died(const Journal& journal, LostRanks lost)
      : ProblemRule(journal, "process-died", Problem::Severity::Error), lost_(std::move(lost)) {}

  void take(EventId /*id*/, const Event& /*event*/) override {}

  std::vector<Problem> problems(RunState /*run*/) const override {
    if (lost_->empty()) return {};
    std::map<EventId, std::vector<int>> diedAfter;
    // Events shortly before a kill may be missing.
    for (const int rank : *lost_) diedAfter[lastEventOf(journal_, rank)].push_back(rank);
    Found found = found_.none();
    Problem& problem = found.at("died").problem;
    for (const auto& [last, ranks] : diedAfter) {
      if (last != 0 && problem.events.size() < Problem::kMostEvents) problem.events.push_back(last);
    }
    problem.times = 1;
    problem.sentence = view::ranksLabel(*lost_) + " died without closing " +
                       (lost_->size() == 1 ? "its" : "their") + " recording" + lastsText(diedAfter);
    const auto first =
        std::ranges::find_if(diedAfter, [](const auto& each) { return each.first != 0; });
    if (first != diedAfter.end()) {
      problem.advice = fmt::format("see the last events of {} with shardlens show --rank {}, and ",
                                   view::ranksLabel(first->second), first->second.front());
    }
    problem.advice += "look for what ended the process: a signal, or too little memory";
    if (diedAfter.size() > 1) problem.advice += "; a launcher ends all ranks after the first one";
    return found.problems();
  }

 private:
  static constexpr std::size_t kMostShown = 4;
  using ByLastEvent = std::map<EventId, std::vector<int>>;

  // Returns ", of which the last event is aten.mm", or ". Last events: aten.mm of rank 2, aten.add
  // of ranks 0, 1".
  std::string lastsText(const ByLastEvent& diedAfter) const {
    const auto title = [this](EventId id) {
      return id == 0 ? std::string("none") : view::eventWords(journal_, id, notation_).title;
    };
    if (diedAfter.size() == 1) {
      const EventId last = diedAfter.begin()->first;
      return last == 0 ? ", which has no events" : ", of which the last event is " + title(last);
    }
    std::vector<std::pair<std::string, std::vector<int>>> all;  // title, ranks
    for (const auto& [last, ranks] : diedAfter) {
      const std::string text = title(last);
      auto same = std::ranges::find(all, text, &decltype(all)::value_type::first);
      if (same == all.end()) same = all.insert(all.end(), {text, {}});
      same->second.insert(same->second.end(), ranks.begin(), ranks.end());
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(all.size(), kMostShown); ++i) {
      std::ranges::sort(all[i].second);
      text += fmt::format("{} {} of {}", i == 0 ? ". Last events:" : ",", all[i].first,
                          view::ranksLabel(all[i].second));
    }
    return all.size() > kMostShown ? text + ", and others" : text;
  }

  LostRanks lost_;
};

}  // namespace

std::vector<Problem> diedProcesses(const Journal& journal, const std::vector<int>& lost,
                                   view::Notation notation) {
  Died rule(journal, std::make_shared<const std::vector<int>>(lost));
  rule.setNotation(notation);
  return rule.problems(RunState::Ended);
}

void addRankRules(const Journal& journal, const LostRanks& lost,
                  const std::shared_ptr<EventId>& undefinedFrom, ProblemRules& rules) {
  const auto mismatch = std::make_shared<EventId>(0);
  const auto absences = std::make_shared<Absences>();
  rules.push_back(std::make_unique<Mismatch>(journal, absences, mismatch));
  rules.push_back(std::make_unique<UnequalSizes>(journal, undefinedFrom));
  rules.push_back(std::make_unique<Waiting>(journal, absences, undefinedFrom, mismatch));
  rules.push_back(endedRule(journal, absences, lost));
  rules.push_back(std::make_unique<Absent>(journal, absences));
  // After the waits at the same event, because a launcher kills the ranks of a job that hangs.
  rules.push_back(std::make_unique<Died>(journal, lost));
}

}  // namespace shardlens
