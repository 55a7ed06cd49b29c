#include "core/query/problems/consequences.h"

#include "core/model/ranks_text.h"
#include "core/query/problems/rank_ends.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

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

  // Returns the problem of the rank that stopped first, and remembers the ranks that have it;
  // problems.end() if there is none. An error explains more than a missing rank, and a rank that
  // left the program more than one that was killed.
  std::vector<Problem>::iterator findCause(std::vector<Problem>& problems) {
    const auto firstOf = [&](std::string_view rule, const auto& isIt) {
      return std::ranges::find_if(problems, [&](const Problem& problem) {
        if (problem.rule != rule) return false;
        first_.clear();
        for (const auto& [rank, end] : ends_) {
          if (isIt(problem, rank, end)) first_.push_back(rank);
        }
        return !first_.empty();
      });
    };
    const auto has = [](const Problem& problem, EventId id) {
      return std::ranges::binary_search(problem.events, id);
    };
    auto cause = firstOf("refused-step", [&](const Problem& problem, int, const RankEnd& end) {
      return hasRaised(journal_, end) && has(problem, end.error);
    });
    if (cause != problems.end()) return cause;
    cause = firstOf("rank-ended", [&](const Problem& problem, int rank, const RankEnd& end) {
      return !isLost(rank) && has(problem, end.call);
    });
    if (cause != problems.end()) return cause;
    return firstOf("process-died", [&](const Problem&, int rank, const RankEnd& end) {
      return isLost(rank) && !isInUnmatchedCollective(journal_, end);
    });
  }

  // Returns true if the rank stopped because of the cause: in a collective that another rank did
  // not call, or because its peer has gone.
  bool hasFollowed(int rank) const {
    if (std::ranges::count(first_, rank) != 0) return false;
    const RankEnd& end = ends_.at(rank);
    if (end.error != 0) {
      const std::string_view message = journal_.name(journal_.at(end.error));
      return isOfLostPeer(message) || isOfTimeout(message) ||
             (isOfExit(message) && isInUnmatchedCollective(journal_, end));
    }
    if (isLost(rank)) return isInUnmatchedCollective(journal_, end);
    const auto part = end.call == 0 ? std::nullopt : journal_.part(end.call, rank);
    return part && part->duration == Event::kRunning && waitsForStopped(end.call);
  }

  // Returns true for a collective that lacks only ranks that have stopped.
  bool waitsForStopped(EventId collective) const {
    if (collective == 0) return false;
    const auto missing = missingMembers(journal_, collective);
    return !missing.empty() &&
           std::ranges::all_of(missing, [this](int rank) { return hasStopped(rank); });
  }

  std::vector<int> lostBefore() const {
    std::vector<int> ranks = lost_;
    std::erase_if(ranks, [this](int rank) { return ends_.contains(rank) && hasFollowed(rank); });
    return ranks;
  }

  // Returns what the ranks did that followed: "rank 2 failed in all_reduce over tp; ..."
  std::string consequences() const {
    constexpr std::size_t kMostShown = 4;
    std::vector<std::pair<std::string, std::vector<int>>> all;  // what, ranks
    for (const auto& [rank, end] : ends_) {
      if (!hasFollowed(rank)) continue;
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

 private:
  bool isLost(int rank) const { return std::ranges::count(lost_, rank) != 0; }
  bool hasStopped(int rank) const {
    const auto end = ends_.find(rank);
    return end != ends_.end() &&
           (end->second.error != 0 || isLost(rank) || std::ranges::count(first_, rank) != 0);
  }

  const Journal& journal_;
  const std::vector<int>& lost_;
  std::map<int, RankEnd> ends_;  // by rank
  std::vector<int> first_;       // ranks that stopped first, with the same problem
};

}  // namespace

bool foldConsequences(const Journal& journal, const std::vector<int>& lost, view::Notation notation,
                      std::vector<Problem>& problems) {
  const bool haveStopped = !lost.empty() || journal.firstError() != 0;
  if (!journal.isMerged() || isImported(journal) || !haveStopped) return false;
  Stops stops(journal, lost);
  auto cause = stops.findCause(problems);
  if (cause == problems.end()) return false;
  cause->consequences = stops.consequences();
  const std::vector<int> before = stops.lostBefore();
  if (before.size() < lost.size()) {
    const auto died = std::ranges::find(problems, "process-died", &Problem::rule);
    auto earlier = diedProcesses(journal, before, notation);
    if (earlier.empty()) {
      problems.erase(died);
    } else {
      earlier.front().consequences = std::move(died->consequences);
      *died = std::move(earlier.front());
    }
  }
  std::erase_if(problems, [&](const Problem& problem) {
    return problem.rule == "rank-that-waits" && stops.waitsForStopped(problem.events.front());
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
