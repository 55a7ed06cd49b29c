#include "core/query/problems/consequences.h"

#include "core/model/ranks_text.h"
#include "core/query/problems/rank_ends.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlens {

namespace {

// Returns true for what a rank does because of another rank, or of the person who stops the run.
bool mayFollow(const Journal& journal, const Problem& problem) {
  if (problem.rule == "refused-step") {
    return isOfExit(journal.name(journal.at(problem.events.front())));
  }
  return problem.rule == "rank-that-waits" || problem.rule == "process-died";
}

// The ranks of a run by how they stopped.
class Stops {
 public:
  Stops(const Journal& journal, const std::vector<int>& lost) : journal_(journal), lost_(lost) {
    for (const int rank : hostedRanks(journal)) ends_.emplace(rank, endOf(journal, rank));
  }

  // Finds the problems of ranks that stopped for a reason of their own, and the ranks that follow
  // from each. Returns false if there are none. An error explains more than a missing rank, and a
  // rank that left the program more than one that was killed: a rank that follows from several
  // problems is listed with the first of them.
  bool find(const std::vector<Problem>& problems) {
    const auto has = [](const Problem& problem, EventId id) {
      return std::ranges::binary_search(problem.events, id);
    };
    for (const bool isWaiting : {false, true}) {
      addCauses(problems, "refused-step", [&](const Problem& problem, int, const RankEnd& end) {
        return hasRaised(journal_, end) && end.missing.empty() != isWaiting &&
               has(problem, end.error);
      });
    }
    addCauses(problems, "rank-ended", [&](const Problem& problem, int rank, const RankEnd& end) {
      return !isLost(rank) && has(problem, end.call);
    });
    const std::size_t known = causes_.size();
    addCauses(problems, "process-died", [&](const Problem&, int rank, const RankEnd& end) {
      return isLost(rank) && end.missing.empty();
    });
    for (std::size_t cause = 0; cause < causes_.size(); ++cause) {
      const bool isOnly = causes_.size() == 1 || (cause == 0 && known == 1);
      bool hasGrown = true;
      while (hasGrown) {
        hasGrown = false;
        for (const auto& [rank, end] : ends_) {
          if (causeOf_.contains(rank) || !follows(rank, end, cause, isOnly)) continue;
          causeOf_[rank] = cause;
          hasFollowed_.insert(rank);
          hasGrown = true;
        }
      }
    }
    return !causes_.empty();
  }

  // Returns true for a collective that lacks only ranks that are known to have stopped.
  bool waitsForStopped(EventId collective) const {
    const auto missing = missingMembers(journal_, collective);
    return !missing.empty() &&
           std::ranges::all_of(missing, [this](int rank) { return causeOf_.contains(rank); });
  }

  std::vector<int> lostBefore() const {
    std::vector<int> ranks = lost_;
    std::erase_if(ranks, [this](int rank) { return hasFollowed_.contains(rank); });
    return ranks;
  }

  // Sets the consequences of each problem that has some.
  void describe(std::vector<Problem>& problems) const {
    for (std::size_t cause = 0; cause < causes_.size(); ++cause) {
      problems[causes_[cause]].consequences = consequencesOf(cause);
    }
  }

 private:
  bool isLost(int rank) const { return std::ranges::count(lost_, rank) != 0; }

  template <typename IsOf>
  void addCauses(const std::vector<Problem>& problems, std::string_view rule, const IsOf& isOf) {
    for (std::size_t place = 0; place < problems.size(); ++place) {
      const Problem& problem = problems[place];
      if (problem.rule != rule) continue;
      bool isCause = false;
      for (const auto& [rank, end] : ends_) {
        if (!isOf(problem, rank, end)) continue;
        isCause |= causeOf_.try_emplace(rank, causes_.size()).second;
      }
      if (isCause) causes_.push_back(place);
    }
  }

  // Returns true if the rank stopped in a collective that a rank of this cause did not call, or if
  // it waits there. A rank that lost its connection elsewhere follows from the only cause.
  bool follows(int rank, const RankEnd& end, std::size_t cause, bool isOnly) const {
    const auto isOfCause = [&](int other) {
      const auto found = causeOf_.find(other);
      return found != causeOf_.end() && found->second == cause;
    };
    const std::string_view message =
        end.error == 0 ? std::string_view() : journal_.name(journal_.at(end.error));
    if (end.missing.empty()) return isOnly && isOfLostPeer(message);
    if (std::ranges::none_of(end.missing, isOfCause)) return false;
    if (end.error != 0) return !hasRaised(journal_, end);
    if (isLost(rank)) return true;
    const auto part = journal_.part(end.call, rank);
    return part && part->duration == Event::kRunning &&
           std::ranges::all_of(end.missing, [&](int other) { return causeOf_.contains(other); });
  }

  // Returns what the ranks did that followed: "rank 2 failed in all_reduce over tp; ..."
  std::string consequencesOf(std::size_t cause) const {
    constexpr std::size_t kMostShown = 4;
    std::vector<std::pair<std::string, std::vector<int>>> all;  // what, ranks
    for (const auto& [rank, end] : ends_) {
      if (!hasFollowed_.contains(rank) || causeOf_.at(rank) != cause) continue;
      std::string what = end.error == 0 ? (isLost(rank) ? "died" : "waits")
                         : isOfExit(journal_.name(journal_.at(end.error))) ? "ended"
                                                                           : "failed";
      if (end.call != 0 && journal_.at(end.call).kind == EventKind::Collective) {
        what += " in " + view::collectiveText(journal_, journal_.at(end.call));
      }
      auto same = std::ranges::find(all, what, &decltype(all)::value_type::first);
      if (same == all.end()) same = all.insert(all.end(), {what, {}});
      same->second.push_back(rank);
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(all.size(), kMostShown); ++i) {
      auto& [what, ranks] = all[i];
      if (ranks.size() > 1 && what.starts_with("waits")) what.replace(0, 5, "wait");
      text += (i == 0 ? "" : "; ") + view::ranksLabel(ranks) + " " + what;
    }
    return all.size() > kMostShown ? text + "; and others" : text;
  }

  const Journal& journal_;
  const std::vector<int>& lost_;
  std::map<int, RankEnd> ends_;         // by rank
  std::vector<std::size_t> causes_;     // the places of their problems
  std::map<int, std::size_t> causeOf_;  // by rank, index in causes_: those of the problem, and
  std::set<int> hasFollowed_;           // the ranks that follow from it
};

}  // namespace

bool foldConsequences(const Journal& journal, const std::vector<int>& lost, view::Notation notation,
                      std::vector<Problem>& problems) {
  const bool haveStopped = !lost.empty() || journal.firstError() != 0;
  if (!journal.isMerged() || isImported(journal) || !haveStopped) return false;
  Stops stops(journal, lost);
  if (!stops.find(problems)) return false;
  stops.describe(problems);
  const std::vector<int> before = stops.lostBefore();
  const auto died = std::ranges::find(problems, "process-died", &Problem::rule);
  if (died != problems.end() && before.size() < lost.size()) {
    auto earlier = diedProcesses(journal, before, notation);
    if (earlier.empty()) {
      problems.erase(died);
    } else {
      earlier.front().consequences = std::move(died->consequences);
      *died = std::move(earlier.front());
    }
  }
  std::erase_if(problems, [&](const Problem& problem) {
    return (problem.rule == "rank-that-waits" && stops.waitsForStopped(problem.events.front())) ||
           (problem.rule == "refused-step" && isOfLostPeer(problem.sentence));
  });
  return true;
}

void putCauseFirst(const Journal& journal, std::vector<Problem>& problems) {
  const auto isLater = [&](const Problem& each) {
    return each.consequences.empty() && mayFollow(journal, each);
  };
  const auto lastCause = std::find_if(problems.rbegin(), problems.rend(), [&](const Problem& each) {
    const bool isOfRank = each.rule == "refused-step" || each.rule == "rank-ended";
    return !each.consequences.empty() || (isOfRank && !isLater(each));
  });
  std::stable_partition(problems.begin(), lastCause.base(),
                        [&](const Problem& each) { return !isLater(each); });
}

}  // namespace shardlens
