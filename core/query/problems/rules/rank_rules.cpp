// Rules about runs of several processes: ranks that wait, call another collective, are late, or
// died.
#include "core/model/byte_count.h"
#include "core/model/ranks_text.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/event_words.h"
#include "core/view/words/names.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace shardlens {

namespace {

// Base of rules about collectives that some ranks did not call. Absence is final, because a journal
// that grows is merged again from the start.
class AbsenceRule : public LateRule {
 public:
  using LateRule::LateRule;

 protected:
  bool isSuspect(EventId id, const Event& event) const override {
    return event.kind == EventKind::Collective && !absentRanks(journal_, id).empty();
  }
};

// collective-mismatch: ranks called different collectives at the same place.
class Mismatch final : public AbsenceRule {
 public:
  explicit Mismatch(const Journal& journal)
      : AbsenceRule(journal, "collective-mismatch", Problem::Severity::Error) {}

 private:
  void judge(EventId id, Found& found) const override {
    const Event event = journal_.at(id);
    const auto wait = view::collectiveWait(journal_, id);
    if (!wait || wait->instead.empty()) return;
    // Both collectives are suspects; report one of them.
    auto& problem =
        found.add(std::to_string(event.group) + "/" + std::to_string(event.sequence), id).problem;
    if (!problem.sentence.empty()) return;
    problem.sentence = view::ranksLabel(wait->missing) + " called " + wait->instead +
                       " where the other ranks called " + view::collectiveText(journal_, event);
    problem.advice =
        "all ranks of a process group must call the same collectives in the same order";
  }
};

// unequal-sizes: ranks of a group send different sizes in a collective that requires equal ones.
class UnequalSizes final : public ProblemRule {
 public:
  explicit UnequalSizes(const Journal& journal)
      : ProblemRule(journal, "unequal-sizes", Problem::Severity::Error) {}

  void take(EventId id, const Event& event) override {
    if (event.kind != EventKind::Collective || !journal_.isMerged() || !needsEqual(event)) return;
    const auto [known, isNew] = groups_.try_emplace(event.ranks);
    if (isNew) known->second = parseRanks(journal_.text(event.ranks));
    for (const auto& group : known->second) {
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

  bool needsEqual(const Event& event) const {
    const auto name = journal_.name(event);
    return name == "all_reduce" || name == "broadcast" || name == "reduce";
  }

  std::unordered_map<StringId, std::vector<std::vector<int>>> groups_;  // by the text of the ranks
};

// rank-that-waits: ranks wait in a collective that others did not call.
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
    problem.advice = fmt::format("see the last events of {} with shardlens show --rank {}",
                                 view::ranksLabel(wait->missing), first);
  }
};

// absent-rank: in imported dumps, a collective lacks ranks. The ranks that called it may have
// returned, so they need not be waiting.
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
    problem.advice = "either the rank did not call it, or its dump begins later or ends earlier";
  }
};

// late-rank: a rank that starts collectives later than the others, on average. Only for the
// engine's processes, whose clocks start together. The clocks of recorded jobs start with each
// recording and cannot be compared.
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
      delays_.resize(ranks_.size());
    }
    if (ranks_.size() < 2) return;
    times_.clear();
    for (const int rank : ranks_) {
      const auto timing = journal_.part(id, rank);
      if (!timing) return;
      times_.push_back(timing->time);
    }
    const std::int64_t first = *std::min_element(times_.begin(), times_.end());
    for (std::size_t i = 0; i < times_.size(); ++i) delays_[i] += times_[i] - first;
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
    for (const std::int64_t each : delays_) all += each;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const std::int64_t mean = delays_[i] / collectives_;
      const auto others = static_cast<std::int64_t>(ranks_.size()) - 1;
      const std::int64_t usual = (all - delays_[i]) / collectives_ / others;
      if (mean < kLate || mean < kMoreThanOthers * usual) continue;
      auto& problem = found.add(std::to_string(ranks_[i]), latest_).problem;
      problem.sentence = view::ranksLabel({ranks_[i]}) + " arrives " + view::durationText(mean) +
                         " later than the first rank, on average over " +
                         view::plural(collectives_, "collective");
      problem.advice = "the other ranks wait for it: compare its work between the collectives";
    }
    return found.problems();
  }

 private:
  std::vector<int> ranks_;
  std::vector<std::int64_t> delays_;
  std::vector<std::int64_t> times_;
  std::int64_t collectives_ = 0;
  EventId latest_ = 0;
};

// process-died: a rank's process ended without closing its recording.
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
          "see the last events of {} with shardlens show --rank {}, and look for what ended the "
          "process: a signal, or too little memory",
          view::ranksLabel(ranks), ranks.front());
    }
    return found.problems();
  }

 private:
  // Returns the rank's last recorded event, or 0. Events shortly before a kill may be missing.
  EventId lastOf(int rank) const {
    EventId id = journal_.size();
    while (id > 0 && !journal_.part(id, rank)) --id;
    return id;
  }

  std::vector<int> lost_;
};

}  // namespace

std::vector<Problem> diedProcesses(const Journal& journal, const std::vector<int>& lost) {
  return Died(journal, lost).problems(RunState::Ended);
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
