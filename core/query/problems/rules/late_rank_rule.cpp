// The rule about ranks that arrive later than the other ranks at collectives.
#include "core/query/problems/rules/met_ranks.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/journal/collective_groups.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace shardlens {

namespace {

// late-rank: a rank that starts the collectives of one line later than the remaining ranks of its
// group: all of them, or, in a loop over layers, the n-th of each step. Delays within the error of
// the clocks count as 0; groups whose clocks cannot be compared are ignored. The processes of a job
// begin at different times, so that the collectives in which ranks meet for the first time do not
// count. A rank that was held up by a late rank in an earlier collective, of another group, is late
// only from the arrival of that rank on. Delays must exceed those that the scheduler of a busy
// machine causes, which is measured in the run itself. A rank that becomes late during the run is
// reported for its longest row of consecutive late calls.
class LateRank final : public ProblemRule {
 public:
  explicit LateRank(const Journal& journal)
      : ProblemRule(journal, "late-rank", Problem::Severity::Warning) {}

  bool judgesOutcomes() const override { return true; }
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
    const double noise = this->noise();
    for (const auto& [place, line] : lines_) {
      if (describeLate(line.all, noise, 0, found)) continue;
      for (std::size_t n = 0; n < line.ofStep.size(); ++n) {
        if (line.ofStep[n].count > 1) describeLate(line.ofStep[n], noise, n + 1, found);
      }
    }
    return found.problems();
  }

 private:
  static constexpr std::int64_t kLate = 1'000'000;               // nanoseconds, of one call
  static constexpr std::int64_t kSchedulerPeriod = 100'000'000;  // nanoseconds
  static constexpr std::int64_t kLong = 100'000'000;             // nanoseconds
  static constexpr std::int64_t kLeastRow = 3;                   // calls

  // Consecutive calls at which a rank was late by kLong or more.
  struct Row {
    std::int64_t count = 0;
    std::int64_t delays = 0, least = 0;  // in total; the smallest one
    double squares = 0;
    EventId first = 0;
  };

  // A rank in the calls of its group.
  struct Caller {
    int rank = 0;
    std::int64_t delays = 0;   // since the first rank, in total
    std::int64_t longest = 0;  // of these delays
    std::int64_t timesLate = 0;
    double squares = 0;   // of the delays, in total
    Row row, longestRow;  // the newest one; the one of most delay
  };
  // Calls of one group.
  struct Calls {
    std::vector<Caller> callers = {};
    double intervals = 0;        // of each call, see intervalOf(), in total
    std::int64_t allDelays = 0;  // of all ranks, in total
    double walk = 0;             // of each call, see noise(), in total
    double largestWalk = 0;
    std::int64_t count = 0;
    std::int32_t step = 0;            // of the first call
    std::int64_t begin = 0, end = 0;  // of the first and the newest call
    std::vector<EventId> events = {};
  };
  // The calls of one group at one line of the program.
  struct Line {
    Calls all = {};
    std::vector<Calls> ofStep = {};  // the first calls of each step; empty if steps have one call
    std::int32_t step = -1;          // of the newest call
    std::size_t inStep = 0;          // number of calls in that step
  };
  static constexpr std::size_t kMostOfStep = 64;
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
      released_[ranks[i]] = {*last, parts[i].time < last->time};
    }
  }

  void count(EventId id, const Event& event, std::size_t number, const std::vector<int>& ranks,
             const std::vector<EventPart>& parts, const EventPart& first) {
    Line& line = lines_[{event.ranks, number, event.site, std::string(journal_.name(event))}];
    if (line.step != event.step) line.step = event.step, line.inStep = 0;
    const std::size_t n = line.inStep++;
    if (n > 0 && n < kMostOfStep) line.ofStep.resize(std::max(line.ofStep.size(), n + 1));
    Call call{id, event, ranks, {}, first.time, intervalOf(ranks, parts, first)};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::int64_t delay =
          parts[i].time - std::max(first.time, heldUntil(ranks[i], parts[i]));
      call.delays.push_back(delay <= errorBetween(parts[i], first) ? 0 : delay);
    }
    const std::int64_t ofLast = std::max(std::int64_t{0}, std::ranges::max(call.delays));
    count(call, ofLast, line.all);
    if (n < line.ofStep.size()) count(call, ofLast, line.ofStep[n]);
    if (allCalls_ == 0) firstStep_ = event.step;
    lastStep_ = event.step;
    ++allCalls_;
    allDelays_ += ofLast;
  }

  // A collective, as one group called it.
  struct Call {
    EventId id;
    const Event& event;
    const std::vector<int>& ranks;
    std::vector<std::int64_t> delays;  // by rank
    std::int64_t begin;                // of the first rank
    double interval;                   // see intervalOf()
  };

  // Adds a call, whose last rank has the delay `ofLast`.
  static void count(const Call& call, std::int64_t ofLast, Calls& calls) {
    calls.callers.resize(call.ranks.size());
    for (std::size_t i = 0; i < call.ranks.size(); ++i) {
      const std::int64_t delay = call.delays[i];
      Caller& caller = calls.callers[i];
      caller.rank = call.ranks[i];
      caller.delays += delay;
      caller.timesLate += static_cast<std::int64_t>(delay >= kLate);
      caller.longest = std::max(caller.longest, delay);
      caller.squares += static_cast<double>(delay) * static_cast<double>(delay);
      calls.allDelays += delay;
      extendRow(caller, calls.count, call.id, delay);
    }
    calls.intervals += call.interval;
    const double walk = static_cast<double>(ofLast) * static_cast<double>(ofLast) / call.interval;
    calls.walk += walk;
    calls.largestWalk = std::max(calls.largestWalk, walk);
    if (calls.count == 0) calls.begin = call.begin, calls.step = call.event.step;
    calls.end = call.begin;
    ++calls.count;
    if (calls.events.size() < Problem::kMostEvents) calls.events.push_back(call.id);
  }

  // Delays of the first calls may fade: a row counts if the rank was in time before.
  // `before` is the number of earlier calls.
  static void extendRow(Caller& caller, std::int64_t before, EventId id, std::int64_t delay) {
    Row& row = caller.row;
    if (delay < kLong) {
      row = {};
      return;
    }
    if (row.count == 0) row.first = id, row.least = delay;
    ++row.count;
    row.delays += delay;
    row.least = std::min(row.least, delay);
    row.squares += static_cast<double>(delay) * static_cast<double>(delay);
    const bool isFromStart = row.count > before;
    if (!isFromStart && row.delays > caller.longestRow.delays) caller.longestRow = row;
  }

  // Returns when the last rank arrived at the rank's previous collective; the least time if
  // unknown.
  std::int64_t heldUntil(int rank, const EventPart& part) const {
    const auto released = released_.find(rank);
    const bool isKnown = released != released_.end() && released->second.isHeld &&
                         errorBetween(released->second.last, part) < EventPart::kUnknown;
    return isKnown ? released->second.last.time : std::numeric_limits<std::int64_t>::min();
  }

  // Returns the time that the first rank had since its previous collective could end, plus the
  // time for which a busy machine holds up a rank that has no work.
  double intervalOf(const std::vector<int>& ranks, const std::vector<EventPart>& parts,
                    const EventPart& first) const {
    const auto place = std::ranges::find(parts, first) - parts.begin();
    const auto released = released_.find(ranks[static_cast<std::size_t>(place)]);
    const bool isKnown = released != released_.end() &&
                         errorBetween(released->second.last, first) < EventPart::kUnknown;
    const std::int64_t since = isKnown ? first.time - released->second.last.time : 0;
    return static_cast<double>(kSchedulerPeriod + std::max(since, std::int64_t{0}));
  }

  // One long delay proves nothing, because a process may have been suspended: the rank must be late
  // in most calls, and without its longest delay as well.
  bool isSuspect(const Calls& calls, const Caller& caller) const {
    constexpr std::int64_t kMoreThanOthers = 3;   // times
    constexpr std::int64_t kShare = 10;           // of the time between the calls
    constexpr std::int64_t kTotal = 200'000'000;  // nanoseconds
    if (calls.count == 1) return isLateOnce(calls, caller);
    const std::int64_t mean = caller.delays / calls.count;
    const std::int64_t least = (caller.delays - caller.longest) / (calls.count - 1);
    const auto others = static_cast<std::int64_t>(calls.callers.size()) - 1;
    const std::int64_t usual = (calls.allDelays - caller.delays) / calls.count / others;
    return caller.timesLate * 2 > calls.count && least >= std::max(kLate, kTotal / calls.count) &&
           mean >= kMoreThanOthers * usual && caller.delays >= (calls.end - calls.begin) / kShare;
  }

  // One call is compared with the calls at all other lines. In the first of several steps each rank
  // also prepares its work, for different times.
  bool isLateOnce(const Calls& calls, const Caller& caller) const {
    if (calls.step == firstStep_ && lastStep_ > firstStep_) return false;
    constexpr std::int64_t kLeast = 400'000'000;  // nanoseconds
    constexpr std::int64_t kMoreThanUsual = 5, kLeastOthers = 3;
    const std::int64_t others = allCalls_ - 1;
    return others >= kLeastOthers &&
           caller.delays >=
               std::max(kLeast, kMoreThanUsual * (allDelays_ - caller.delays) / others);
  }

  // Returns the rank's mean delay less its standard deviation, without the longest delay: delays of
  // a first step, which fade, are not steady.
  static double steadyDelay(const Calls& calls, const Caller& caller) {
    const auto sum = static_cast<double>(caller.delays);
    if (calls.count == 1) return sum;
    const auto longest = static_cast<double>(caller.longest);
    const auto times = static_cast<double>(calls.count - 1);
    const double mean = (sum - longest) / times;
    const double square = (caller.squares - longest * longest) / times;
    return mean - std::sqrt(std::max(0.0, square - mean * mean));
  }

  // Returns the scheduling noise of the run: how far apart ranks arrive that do the same work. The
  // distance grows like that of a random walk, so the noise is its mean square per nanosecond of
  // the interval, without the largest one of each line. For a rank that may be late, its delays
  // count without their mean.
  double noise() const {
    double walks = 0;
    std::int64_t count = 0;
    for (const auto& [place, line] : lines_) {
      if (line.all.count < 2) continue;
      double walk = walkOf(line.all), ofSteps = 0;
      std::int64_t times = 0;
      for (const Calls& calls : line.ofStep) {
        if (calls.count < 2) continue;
        ofSteps += walkOf(calls);
        times += calls.count - 1;
      }
      const auto others = static_cast<double>(line.all.count - 1);
      if (times > 0) walk = std::min(walk, ofSteps / static_cast<double>(times) * others);
      walks += walk;
      count += line.all.count - 1;
    }
    return count == 0 ? 0 : walks / static_cast<double>(count);
  }

  // Returns the walk of all calls but the largest one.
  double walkOf(const Calls& calls) const {
    double walk = calls.walk - calls.largestWalk;
    const auto times = static_cast<double>(calls.count);
    for (const Caller& caller : calls.callers) {
      if (const Row& row = caller.longestRow; row.count >= kLeastRow) {
        walk = std::min(walk, (caller.squares - row.squares) * times / calls.intervals);
      }
      if (!isSuspect(calls, caller)) continue;
      const auto sum = static_cast<double>(caller.delays);
      walk = std::min(walk, (caller.squares - sum * sum / times) * times / calls.intervals);
    }
    return walk;
  }

  static bool exceedsNoise(const Calls& calls, double delay, double noise) {
    constexpr double kTimes = 5;
    const double interval = calls.intervals / static_cast<double>(calls.count);
    return delay >= kTimes * std::sqrt(noise * interval);
  }

  // Reports the late ranks of the calls: of the n-th of each step, or of all if n is 0. Returns
  // true if there is one.
  bool describeLate(const Calls& calls, double noise, std::size_t n, Found& found) const {
    bool hasLate = false;
    for (const Caller& caller : calls.callers) {
      const Row& row = caller.longestRow;
      const bool isSteady =
          isSuspect(calls, caller) && exceedsNoise(calls, steadyDelay(calls, caller), noise);
      const bool isInARow =
          row.count >= kLeastRow && exceedsNoise(calls, static_cast<double>(row.least), noise);
      if (!isSteady && !isInARow) continue;
      describe(calls, caller, n, isSteady, found);
      hasLate = true;
    }
    return hasLate;
  }

  void describe(const Calls& calls, const Caller& caller, std::size_t n, bool isSteady,
                Found& found) const {
    const Row& row = caller.longestRow;
    const std::int64_t count = isSteady ? calls.count : row.count;
    const std::int64_t delays = isSteady ? caller.delays : row.delays;
    auto events = calls.events;
    if (!isSteady) {
      std::erase_if(events, [&](EventId id) { return id < row.first; });
      events.resize(std::min(events.size(), static_cast<std::size_t>(row.count)));
    }
    if (events.empty()) events.push_back(row.first);
    const Event event = journal_.at(events.front());
    auto& problem = found.at(fmt::format("{}/{}", caller.rank, events.front())).problem;
    problem.events = std::move(events);
    problem.times = static_cast<std::size_t>(count);
    problem.sentence = fmt::format(
        "{} arrives {} later than the first rank at {}{}{}", view::ranksLabel({caller.rank}),
        view::durationText(delays / count), view::collectiveText(journal_, event),
        count == 1 ? "" : ", on average over " + view::plural(count, "collective"),
        n == 0 ? "" : fmt::format(", number {} of each step at this line", n));
    problem.advice = "the other ranks wait for it: compare its work before this line";
  }

  std::vector<RankRange> hosted_;
  CollectiveGroups groups_;
  MetRanks met_;
  // When a rank's newest collective could end: its last part. Held: the rank was not that part's.
  struct Released {
    EventPart last;
    bool isHeld = false;
  };
  std::unordered_map<int, Released> released_;  // by rank
  std::map<Place, Line> lines_;
  std::int32_t firstStep_ = 0, lastStep_ = 0;
  std::int64_t allCalls_ = 0;   // of all groups and lines
  std::int64_t allDelays_ = 0;  // of the last rank in each
};

}  // namespace

void addLateRankRule(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<LateRank>(journal));
}

}  // namespace shardlens
