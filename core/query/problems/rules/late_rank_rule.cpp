// The rule about ranks that arrive later than the other ranks at collectives.
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/journal/collective_groups.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/site_record.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace shardlens {

namespace {

// Sets of ranks that have met in collectives, directly or through other ranks.
class MetRanks {
 public:
  // Unites the sets of these ranks. Returns false if they were in several sets.
  bool unite(const std::vector<int>& ranks) {
    bool have = true;
    for (const int rank : ranks) {
      const int mine = rootOf(rank), first = rootOf(ranks.front());
      have &= mine == first;
      parents_[mine] = first;
    }
    return have;
  }

 private:
  int rootOf(int rank) {
    auto parent = parents_.try_emplace(rank, rank).first;
    while (parent->second != parent->first) {
      parent->second = parents_.at(parent->second);
      parent = parents_.find(parent->second);
    }
    return parent->first;
  }

  std::unordered_map<int, int> parents_;
};

// late-rank: a rank that starts the collectives of one line later than the remaining ranks of its
// group. Delays within the error of the clocks count as 0; groups whose clocks cannot be compared
// are ignored. The processes of a job begin at different times, so that the collectives in which
// ranks meet for the first time do not count. A rank that was held up by a late rank in an earlier
// collective, of another group, is late only from the arrival of that rank on.
class LateRank final : public ProblemRule {
 public:
  explicit LateRank(const Journal& journal)
      : ProblemRule(journal, "late-rank", Problem::Severity::Warning) {}

  void take(EventId id, const Event& event) override {
    if (event.kind != EventKind::Collective || !journal_.isMerged()) return;
    const CollectiveKind kind = event.collective();
    if (!waitsForAll(kind) && kind != CollectiveKind::AllToAll) return;
    if (hosted_.empty()) hosted_ = hostedRanges(journal_);
    const auto& groups = groups_.of(journal_, event);
    for (std::size_t i = 0; i < groups.size(); ++i) takeGroup(id, event, i, groups[i]);
  }

  std::vector<Problem> problems(RunState /*run*/) const override {
    Found found = found_.none();
    for (const auto& [place, calls] : calls_) {
      for (std::size_t i = 0; i < calls.ranks.size(); ++i) {
        if (isLate(calls, i)) describe(calls, i, found);
      }
    }
    return found.problems();
  }

 private:
  static constexpr std::int64_t kLate = 1'000'000;  // nanoseconds, of one call

  // The calls of one group at one line of the program.
  struct Calls {
    std::vector<int> ranks = {};
    std::vector<std::int64_t> delays = {};     // by rank: since the first rank, in total
    std::vector<std::int64_t> longest = {};    // by rank: of these delays
    std::vector<std::int64_t> timesLate = {};  // by rank
    std::int64_t count = 0;
    std::int64_t begin = 0, end = 0;  // of the first and the newest call
    std::vector<EventId> events = {};
  };
  using Place =
      std::tuple<StringId, std::size_t, StringId, std::string>;  // ranks, group, site, name

  void takeGroup(EventId id, const Event& event, std::size_t number,
                 const std::vector<int>& group) {
    std::vector<int> ranks;
    std::vector<EventPart> parts;
    for (const int rank : group) {
      if (!contains(hosted_, rank)) continue;
      const auto part = journal_.part(id, rank);
      if (!part) return;
      ranks.push_back(rank);
      parts.push_back(*part);
    }
    if (ranks.size() < 2) return;
    const bool haveMet = met_.unite(ranks) || isOfProcesses(journal_);
    const EventPart first = *std::ranges::min_element(parts, {}, &EventPart::time);
    const auto isUnknown = [&](const EventPart& part) {
      return errorBetween(part, first) >= EventPart::kUnknown;
    };
    if (std::ranges::any_of(parts, isUnknown)) return;
    if (haveMet) count(id, event, number, ranks, parts, first);
    const auto last = std::ranges::max_element(parts, {}, &EventPart::time);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      heldUntil_.erase(ranks[i]);
      if (parts[i].time < last->time) heldUntil_.emplace(ranks[i], *last);
    }
  }

  void count(EventId id, const Event& event, std::size_t number, const std::vector<int>& ranks,
             const std::vector<EventPart>& parts, const EventPart& first) {
    Calls& calls = calls_[{event.ranks, number, event.site, std::string(journal_.name(event))}];
    calls.ranks = ranks;
    calls.delays.resize(ranks.size());
    calls.longest.resize(ranks.size());
    calls.timesLate.resize(ranks.size());
    std::int64_t ofLast = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::int64_t delay = parts[i].time - std::max(first.time, heldUntil(ranks[i], parts[i]));
      if (delay <= errorBetween(parts[i], first)) delay = 0;
      calls.delays[i] += delay;
      calls.timesLate[i] += static_cast<std::int64_t>(delay >= kLate);
      calls.longest[i] = std::max(calls.longest[i], delay);
      ofLast = std::max(ofLast, delay);
    }
    if (calls.count == 0) calls.begin = first.time;
    calls.end = first.time;
    ++calls.count;
    if (calls.events.size() < Problem::kMostEvents) calls.events.push_back(id);
    ++allCalls_;
    allDelays_ += ofLast;
  }

  // Returns when the last rank arrived at the rank's previous collective; the least time if
  // unknown.
  std::int64_t heldUntil(int rank, const EventPart& part) const {
    const auto held = heldUntil_.find(rank);
    const bool isKnown =
        held != heldUntil_.end() && errorBetween(held->second, part) < EventPart::kUnknown;
    return isKnown ? held->second.time : std::numeric_limits<std::int64_t>::min();
  }

  // One long delay proves nothing, because a process may have been suspended: the rank must be late
  // in most calls, and without its longest delay as well.
  bool isLate(const Calls& calls, std::size_t i) const {
    constexpr std::int64_t kMoreThanOthers = 3;   // times
    constexpr std::int64_t kShare = 10;           // of the time between the calls
    constexpr std::int64_t kTotal = 200'000'000;  // nanoseconds
    if (calls.count == 1) return isLateOnce(calls, i);
    std::int64_t all = 0;
    for (const std::int64_t each : calls.delays) all += each;
    const std::int64_t mean = calls.delays[i] / calls.count;
    const std::int64_t least = (calls.delays[i] - calls.longest[i]) / (calls.count - 1);
    const auto others = static_cast<std::int64_t>(calls.ranks.size()) - 1;
    const std::int64_t usual = (all - calls.delays[i]) / calls.count / others;
    return calls.timesLate[i] * 2 > calls.count && least >= std::max(kLate, kTotal / calls.count) &&
           mean >= kMoreThanOthers * usual && calls.delays[i] >= (calls.end - calls.begin) / kShare;
  }

  // One call is compared with the calls at all other lines.
  bool isLateOnce(const Calls& calls, std::size_t i) const {
    constexpr std::int64_t kLeast = 400'000'000;  // nanoseconds
    constexpr std::int64_t kMoreThanUsual = 5, kLeastOthers = 3;
    const std::int64_t others = allCalls_ - 1;
    return others >= kLeastOthers &&
           calls.delays[i] >=
               std::max(kLeast, kMoreThanUsual * (allDelays_ - calls.delays[i]) / others);
  }

  void describe(const Calls& calls, std::size_t i, Found& found) const {
    const Event event = journal_.at(calls.events.front());
    const auto where = fmt::format("{}/{}", calls.ranks[i], calls.events.front());
    auto& problem = found.at(where).problem;
    problem.events = calls.events;
    problem.times = static_cast<std::size_t>(calls.count);
    problem.sentence = fmt::format(
        "{} arrives {} later than the first rank at {}{}{}", view::ranksLabel({calls.ranks[i]}),
        view::durationText(calls.delays[i] / calls.count), view::collectiveText(journal_, event),
        placeText(event),
        calls.count == 1 ? "" : ", on average over " + view::plural(calls.count, "collective"));
    problem.advice = "the other ranks wait for it: compare its work before this line";
  }

  // Returns " (train.py, line 14)"; "" if the call site is unknown.
  std::string placeText(const Event& event) const {
    const SiteRecord site = readSite(journal_.text(event.site));
    const int line = lineOf(site, event);
    if (line == 0) return {};
    const std::string file = std::filesystem::path(site.file).filename().string();
    return fmt::format(" ({}line {})", file.empty() ? "" : file + ", ", line);
  }

  std::vector<RankRange> hosted_;
  CollectiveGroups groups_;
  MetRanks met_;
  std::unordered_map<int, EventPart>
      heldUntil_;  // by rank that did not come last: who did, in its newest collective
  std::map<Place, Calls> calls_;
  std::int64_t allCalls_ = 0;   // of all groups and lines
  std::int64_t allDelays_ = 0;  // of the last rank in each
};

}  // namespace

void addLateRankRule(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<LateRank>(journal));
}

}  // namespace shardlens
