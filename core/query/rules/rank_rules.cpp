// Of a run of several processes: who waits for whom, who calls something else, who is late,
// who died.
#include "core/model/byte_count.h"
#include "core/query/rules/problem_rule.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/collective_wait.h"
#include "core/view/event_words.h"
#include "core/view/names.h"
#include "core/view/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace shardlens {

namespace {

// Of collectives that some ranks did not come to. Nobody comes later: then all are merged anew.
class AbsenceRule : public LateRule {
 public:
  using LateRule::LateRule;

 protected:
  bool isSuspect(EventId id, const Event& event) const override {
    return event.kind == EventKind::Collective && !absentRanks(journal_, id).empty();
  }
};

class Mismatch final : public AbsenceRule {
 public:
  explicit Mismatch(const Journal& journal)
      : AbsenceRule(journal, "collective-mismatch", Problem::Severity::Error) {}

 private:
  void judge(EventId id, Found& found) const override {
    const Event event = journal_.at(id);
    const auto wait = view::collectiveWait(journal_, id);
    if (!wait || wait->instead.empty()) return;
    // Both sides say it of each other.
    auto& problem =
        found.add(std::to_string(event.group) + "/" + std::to_string(event.sequence), id).problem;
    if (!problem.sentence.empty()) return;
    problem.sentence = view::ranksLabel(wait->missing) + " called " + wait->instead +
                       " where others called " + view::collectiveText(journal_, event);
    problem.advice = "all ranks of a process group have to call the same collectives in one order";
  }
};

// Of what everybody has to put in as much of.
class UnequalSizes final : public ProblemRule {
 public:
  explicit UnequalSizes(const Journal& journal)
      : ProblemRule(journal, "unequal-sizes", Problem::Severity::Error) {}

  void take(EventId id, const Event& event) override {
    if (event.kind != EventKind::Collective || !journal_.isMerged() || !needsEqual(event)) return;
    if (ranks_.empty()) ranks_ = hostedRanks(journal_);
    std::optional<std::int64_t> first;
    int of = 0;
    for (const int rank : ranks_) {
      const auto part = journal_.part(id, rank);
      if (!part || part->bytes == 0) continue;  // it had none, or it is not known
      if (!first) first = part->bytes, of = rank;
      if (part->bytes == *first) continue;
      auto& problem = found_.add(std::string(journal_.name(event)), id).problem;
      if (!problem.sentence.empty()) return;
      problem.sentence =
          fmt::format("{}: rank {} put in {}, rank {} {}", view::collectiveText(journal_, event),
                      of, byteCountText(*first), rank, byteCountText(part->bytes));
      problem.advice = "the tensors differ in shape or dtype: all ranks need the same";
      return;
    }
  }

 private:
  bool needsEqual(const Event& event) const {
    const auto name = journal_.name(event);
    return name == "all_reduce" || name == "broadcast" || name == "reduce";
  }

  std::vector<int> ranks_;
};

class Waiting final : public AbsenceRule {
 public:
  explicit Waiting(const Journal& journal)
      : AbsenceRule(journal, "rank-that-waits", Problem::Severity::Error) {}

 private:
  void judge(EventId id, Found& found) const override {
    const auto wait = view::collectiveWait(journal_, id);
    if (!wait || wait->waiting.empty()) return;
    auto& problem = found.add(std::to_string(id), id).problem;
    problem.sentence =
        view::collectiveText(journal_, journal_.at(id)) + ": " + view::waitText(*wait);
    const int first = wait->missing.front();
    problem.advice = fmt::format("look at what {} did last, as shardlens show --rank {} tells",
                                 view::ranksLabel(wait->missing), first);
  }
};

// Of a dump, in which who came may have left, so that nobody waits any more.
class Absent final : public AbsenceRule {
 public:
  explicit Absent(const Journal& journal)
      : AbsenceRule(journal, "absent-rank", Problem::Severity::Warning) {}

 private:
  void judge(EventId id, Found& found) const override {
    if (!isImported(journal_)) return;
    const Event event = journal_.at(id);
    const auto wait = view::collectiveWait(journal_, id);
    if (!wait || !wait->waiting.empty() || !wait->instead.empty()) return;
    auto& problem = found.add(std::to_string(event.group), id).problem;
    if (!problem.sentence.empty()) return;
    problem.sentence = view::collectiveText(journal_, event) + ": " + view::waitText(*wait);
    problem.advice =
        "either it was not called there, or that rank's dump begins later or ends before";
  }
};

// Processes of the engine count from when all had agreed to begin, so that their times can be
// compared; others, as a job's, each from when its own recording began.
class Late final : public ProblemRule {
 public:
  explicit Late(const Journal& journal)
      : ProblemRule(journal, "late-rank", Problem::Severity::Warning) {}

  void take(EventId id, const Event& event) override {
    if (event.kind != EventKind::Collective || !journal_.isMerged() || !isOfProcesses(journal_)) {
      return;
    }
    if (ranks_.empty()) {
      ranks_ = hostedRanks(journal_);
      lateness_.resize(ranks_.size());
    }
    if (ranks_.size() < 2) return;
    times_.clear();
    for (const int rank : ranks_) {
      const auto timing = journal_.part(id, rank);
      if (!timing) return;
      times_.push_back(timing->time);
    }
    const std::int64_t first = *std::min_element(times_.begin(), times_.end());
    for (std::size_t i = 0; i < times_.size(); ++i) lateness_[i] += times_[i] - first;
    latest_ = id;
    ++collectives_;
  }

  std::vector<Problem> problems(RunState /*run*/) const override {
    constexpr std::int64_t kLeast = 10;          // collectives
    constexpr std::int64_t kLate = 1'000'000;    // nanoseconds
    constexpr std::int64_t kMoreThanOthers = 3;  // times
    Found found = found_.none();
    if (collectives_ < kLeast) return {};
    std::int64_t all = 0;
    for (const std::int64_t each : lateness_) all += each;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const std::int64_t mean = lateness_[i] / collectives_;
      const auto others = static_cast<std::int64_t>(ranks_.size()) - 1;
      const std::int64_t usual = (all - lateness_[i]) / collectives_ / others;
      if (mean < kLate || mean < kMoreThanOthers * usual) continue;
      auto& problem = found.add(std::to_string(ranks_[i]), latest_).problem;
      problem.sentence = view::ranksLabel({ranks_[i]}) + " comes " + view::durationText(mean) +
                         " later than the first one, on an average of " +
                         view::plural(collectives_, "collective");
      problem.advice = "the others wait for it: compare what it does between them";
    }
    return found.problems();
  }

 private:
  std::vector<int> ranks_;
  std::vector<std::int64_t> lateness_;
  std::vector<std::int64_t> times_;
  std::int64_t collectives_ = 0;
  EventId latest_ = 0;
};

class Died final : public ProblemRule {
 public:
  Died(const Journal& journal, std::vector<int> lost)
      : ProblemRule(journal, "process-died", Problem::Severity::Error), lost_(std::move(lost)) {}

  void take(EventId /*id*/, const Event& /*event*/) override {}

  std::vector<Problem> problems(RunState /*run*/) const override {
    std::map<EventId, std::vector<int>> diedAfter;
    for (const int rank : lost_) diedAfter[lastOf(rank)].push_back(rank);
    Found found = found_.none();
    for (const auto& [last, ranks] : diedAfter) {
      const std::string where = std::to_string(last);
      auto& problem = last == 0 ? found.at(where).problem : found.add(where, last).problem;
      problem.times = 1;
      problem.sentence = fmt::format(
          "{} died without closing {} recording{}", view::ranksLabel(ranks),
          ranks.size() == 1 ? "its" : "their",
          last == 0 ? ", which has no events"
                    : ", of which the last event is " + view::eventWords(journal_, last).title);
      problem.advice = fmt::format(
          "look at what {} did last, as shardlens show --rank {} tells, and at what ended its "
          "process: a signal, or the system for want of memory",
          view::ranksLabel(ranks), ranks.front());
    }
    return found.problems();
  }

 private:
  // What a process does last may not be on the disk yet when it is killed. 0: it has no event.
  EventId lastOf(int rank) const {
    EventId id = journal_.size();
    while (id > 0 && !journal_.part(id, rank)) --id;
    return id;
  }

  std::vector<int> lost_;
};

}  // namespace

std::vector<Problem> diedProcesses(const Journal& journal, const std::vector<int>& lost) {
  return Died(journal, lost).problems(RunState::IsOver);
}

void addRankRules(const Journal& journal, const std::vector<int>& lost, ProblemRules& rules) {
  rules.push_back(std::make_unique<Died>(journal, lost));
  rules.push_back(std::make_unique<Mismatch>(journal));
  rules.push_back(std::make_unique<UnequalSizes>(journal));
  rules.push_back(std::make_unique<Waiting>(journal));
  rules.push_back(std::make_unique<Absent>(journal));
  rules.push_back(std::make_unique<Late>(journal));
}

}  // namespace shardlens
