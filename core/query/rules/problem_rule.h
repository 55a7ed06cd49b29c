#pragma once

#include "core/query/problems.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlens {

// The problems that one rule finds, each once: it is known by a text, its `where`.
class Found {
 public:
  struct One {
    Problem problem;
    std::int64_t sum = 0;  // of what the rule adds up
  };
  Found(std::string rule, Problem::Severity severity)
      : rule_(std::move(rule)), severity_(severity) {}

  One& at(const std::string& where) {
    const auto [place, isNew] = of_.try_emplace(where, all_.size());
    if (isNew) {
      Problem& problem = all_.emplace_back().problem;
      problem.rule = rule_;
      problem.severity = severity_;
    }
    return all_[place->second];
  }
  One& add(const std::string& where, EventId event) {
    One& one = at(where);
    auto& events = one.problem.events;
    if (events.empty() || events.back() != event) ++one.problem.times;
    const bool isKept = events.size() < Problem::kMostEvents;
    if (isKept && (events.empty() || events.back() != event)) events.push_back(event);
    return one;
  }
  // Those that have been put into words.
  std::vector<Problem> problems() const {
    std::vector<Problem> all;
    for (const One& one : all_) {
      if (!one.problem.sentence.empty()) all.push_back(one.problem);
    }
    return all;
  }
  Found none() const { return {rule_, severity_}; }  // of the same rule
  const std::string& rule() const { return rule_; }

 private:
  std::string rule_;
  Problem::Severity severity_;
  std::vector<One> all_;
  std::map<std::string, std::size_t> of_;
};

// Looks for one kind of problem. It is shown the events of a journal in order, each once, and says
// in words, whenever it is asked, what it has found among them.
class ProblemRule {
 public:
  ProblemRule(const Journal& journal, std::string name, Problem::Severity severity)
      : journal_(journal), found_(std::move(name), severity) {}
  virtual ~ProblemRule() = default;
  ProblemRule(const ProblemRule&) = delete;
  ProblemRule& operator=(const ProblemRule&) = delete;

  virtual void take(EventId id, const Event& event) = 0;
  virtual std::vector<Problem> problems(RunState /*run*/) const { return found_.problems(); }
  const std::string& name() const { return found_.rule(); }

 protected:
  // So many events later all is known of one that is over: its values, what others did instead.
  static constexpr EventId kAfter = 256;

  const Journal& journal_;
  Found found_;
};

// One that can say all of an event only when others have come after it and its span has ended.
// Until then it says what is known.
class LateRule : public ProblemRule {
 public:
  using ProblemRule::ProblemRule;

  void take(EventId id, const Event& event) final {
    if (isSuspect(id, event)) open_.push_back(id);
    while (!open_.empty() && (isSettled(open_.front()) || open_.size() > kMostOpen)) {
      judge(open_.front(), found_);
      open_.pop_front();
    }
  }
  std::vector<Problem> problems(RunState /*run*/) const final {
    Found found = found_;
    for (const EventId id : open_) judge(id, found);
    return found.problems();
  }

 protected:
  static constexpr std::size_t kMostOpen = 64;

  virtual bool isSuspect(EventId id, const Event& event) const = 0;
  virtual void judge(EventId id, Found& found) const = 0;
  // Whose duration counts.
  virtual EventId spanOf(EventId id) const { return id; }

 private:
  bool isSettled(EventId id) const {
    return journal_.size() - id >= kAfter && journal_.at(spanOf(id)).duration != Event::kRunning;
  }

  std::deque<EventId> open_;  // ascending
};

// Whether the engine ran on processes that Gloo or NCCL connects.
inline bool isOfProcesses(const Journal& journal) {
  const auto backend = journal.meta("backend");
  return backend == "gloo" || backend == "nccl";
}

using ProblemRules = std::vector<std::unique_ptr<ProblemRule>>;
void addCacheRules(const Journal& journal, ProblemRules& rules);
void addCopyRules(const Journal& journal, ProblemRules& rules);
void addMaskRules(const Journal& journal, ProblemRules& rules);
void addOperatorRules(const Journal& journal, ProblemRules& rules);
void addPlacementRules(const Journal& journal, ProblemRules& rules);
void addRankRules(const Journal& journal, const std::vector<int>& lost, ProblemRules& rules);
void addTermRules(const Journal& journal, ProblemRules& rules);
void addTrafficRules(const Journal& journal, ProblemRules& rules);
void addValueRules(const Journal& journal, ProblemRules& rules);

}  // namespace shardlens
