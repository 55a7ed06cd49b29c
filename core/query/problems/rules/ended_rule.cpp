// The rule about a rank that left the program before a collective of the other ranks.
#include "core/model/rank_ranges.h"
#include "core/model/ranks_text.h"
#include "core/query/problems/rank_ends.h"
#include "core/query/problems/rules/absence_rule.h"
#include "core/trace/merge/merged_parts.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace shardlens {

namespace {

// A collective lacks a rank whose recording ends before it, and a rank that called it fails in the
// same step or the next one, as with "Connection closed by peer". Reports the first such collective
// of a rank. Does not report a rank that failed itself, because its error or that of another rank
// is the cause. If the callers ran a further step, the recording of the rank was closed early, and
// they failed for another reason.
class EndedEarly final : public AbsenceRule {
 public:
  EndedEarly(const Journal& journal, SharedAbsences absences, LostRanks lost)
      : AbsenceRule(journal, std::move(absences), "rank-ended", Problem::Severity::Error),
        lost_(std::move(lost)) {}

 private:
  struct End : RankEnd {
    // The recording ends outside of a collective that lacks another rank, and without an error
    // other than one that leaves the program.
    bool hasLeft = false;
  };

  void judge(EventId id, Found& found) const override {
    if (journal_.firstError() == 0 || isImported(journal_)) return;
    // Cheaper than collectiveWait(): a closed recording lacks all later collectives of its rank.
    const auto absent = missingMembers(journal_, id);
    if (std::ranges::none_of(absent, [&](int rank) { return hasLeftBefore(rank, id); })) return;
    const auto wait = view::collectiveWait(journal_, id);
    if (!wait || !wait->waiting.empty() || wait->instead != 0) return;
    const auto hosted = hostedRanges(journal_);
    for (auto group : parseRanks(journal_.text(journal_.at(id).ranks))) {
      std::ranges::sort(group);
      std::vector<int> callers, missing;
      for (const int rank : group) {
        if (!contains(hosted, rank)) continue;
        (std::ranges::binary_search(wait->missing, rank) ? missing : callers).push_back(rank);
      }
      std::erase_if(missing, [&](int rank) { return !hasLeftBefore(rank, id); });
      if (missing.empty()) continue;
      if (std::ranges::none_of(callers, [&](int rank) { return failsAfter(rank, id); })) continue;
      for (const int rank : missing) report(rank, id, callers, found);
    }
  }

  void report(int rank, EventId id, const std::vector<int>& callers, Found& found) const {
    const End& end = endOf(rank);
    const std::string name = "rank " + std::to_string(rank);
    auto& problem = found.add(name, end.call).problem;
    if (!problem.sentence.empty()) return;
    const std::string last = view::eventWords(journal_, end.call, notation_).title;
    problem.sentence =
        fmt::format("{} did not call {}, which {} called: {} is {}", name,
                    view::collectiveText(journal_, journal_.at(id)), view::ranksLabel(callers),
                    end.error == 0 ? "the last event of its recording"
                                   : "its last event before " + std::string(nameOf(end.error)),
                    last);
    problem.advice =
        fmt::format("look for the reason why {} left the program or stopped there", name);
  }

  bool hasLeftBefore(int rank, EventId id) const {
    const End& end = endOf(rank);
    return end.hasLeft && end.call < id && std::ranges::count(*lost_, rank) == 0;
  }

  bool failsAfter(int rank, EventId id) const {
    const End& end = endOf(rank);
    return end.error != 0 && end.call >= id &&
           journal_.at(end.call).step - journal_.at(id).step <= 1;
  }

  std::string_view nameOf(EventId id) const { return journal_.name(journal_.at(id)); }

  // Returns how the recording of the rank ends so far.
  const End& endOf(int rank) const {
    End& end = ends_[rank];
    if (end.last != lastEventOf(journal_, rank)) {
      static_cast<RankEnd&>(end) = shardlens::endOf(journal_, rank);
      end.hasLeft =
          end.call != 0 && (end.error == 0 || isOfExit(nameOf(end.error))) && end.missing.empty();
    }
    return end;
  }

  LostRanks lost_;
  mutable std::unordered_map<int, End> ends_;  // by rank
};

}  // namespace

std::unique_ptr<ProblemRule> endedRule(const Journal& journal, SharedAbsences absences,
                                       LostRanks lost) {
  return std::make_unique<EndedEarly>(journal, std::move(absences), std::move(lost));
}

}  // namespace shardlens
