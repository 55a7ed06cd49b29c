#pragma once

#include "core/query/problems/problems.h"
#include "core/query/problems/rank_ends.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardlens {

class PlainInference;

// The problems that one rule has found, each identified by a key `where`.
class Found {
 public:
  // A problem and a sum for the rule's use.
  struct One {
    Problem problem;
    std::int64_t sum = 0;  // for the rule's own totals, as bytes
  };
  Found(std::string rule, Problem::Severity severity)
      : rule_(std::move(rule)), severity_(severity) {}

  // Returns the problem with this key, adding an empty one if needed. References become invalid
  // with the next addition.
  One& at(const std::string& where) {
    const auto [place, isNew] = of_.try_emplace(where, all_.size());
    if (isNew) {
      Problem& problem = all_.emplace_back().problem;
      problem.rule = rule_;
      problem.severity = severity_;
    }
    return all_[place->second];
  }
  // As at(), and adds an event to the problem. Consecutive duplicates count once.
  One& add(const std::string& where, EventId event) {
    One& one = at(where);
    auto& events = one.problem.events;
    if (events.empty() || events.back() != event) ++one.problem.times;
    const bool isKept = events.size() < Problem::kMostEvents;
    if (isKept && (events.empty() || events.back() != event)) events.push_back(event);
    return one;
  }
  // Returns the problems that have a sentence.
  std::vector<Problem> problems() const {
    std::vector<Problem> all;
    for (const One& one : all_) {
      if (!one.problem.sentence.empty()) all.push_back(one.problem);
    }
    return all;
  }
  Found none() const { return {rule_, severity_}; }  // an empty one of the same rule
  const std::string& rule() const { return rule_; }

 private:
  std::string rule_;
  Problem::Severity severity_;
  std::vector<One> all_;
  std::map<std::string, std::size_t> of_;
};

// Interface of a rule, which finds one kind of problem. take() receives each event of the journal
// once, in order. problems() may be called at any time and covers the events taken so far.
class ProblemRule {
 public:
  ProblemRule(const Journal& journal, std::string name, Problem::Severity severity)
      : journal_(journal), found_(std::move(name), severity) {}
  virtual ~ProblemRule() = default;
  ProblemRule(const ProblemRule&) = delete;
  ProblemRule& operator=(const ProblemRule&) = delete;

  // Reads the next event. Its span may not have ended, and its values may arrive later.
  virtual void take(EventId id, const Event& event) = 0;
  virtual std::vector<Problem> problems(RunState /*run*/) const { return found_.problems(); }
  // See ProblemSearch::prepare().
  virtual bool prepare(const std::function<bool()>& /*mayGoOn*/) { return true; }
  // Returns true if the rule judges values, times, or which ranks take part. After a collective of
  // unequal sizes, whose result is undefined, these are consequences of it.
  virtual bool judgesOutcomes() const { return false; }
  const std::string& name() const { return found_.rule(); }
  // Sets the notation of placements in sentences; call it before the first take().
  void setNotation(view::Notation notation) { notation_ = notation; }

 protected:
  // After so many further events, an ended event is complete: its values and the other ranks'
  // events have arrived.
  static constexpr EventId kAfter = 256;

  const Journal& journal_;
  view::Notation notation_ = view::Notation::DTensor;
  Found found_;
};

// A rule that judges an event only after its span has ended and later events have arrived.
// problems() judges pending events provisionally. If more than kMostOpen are pending, the oldest is
// judged early.
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

  // Returns true if the event should be judged later.
  virtual bool isSuspect(EventId id, const Event& event) const = 0;
  // Adds the event's problem to `found`, if there is one. May be called several times per event.
  virtual void judge(EventId id, Found& found) const = 0;
  // Returns the event whose span must have ended.
  virtual EventId spanOf(EventId id) const { return id; }

 private:
  bool isSettled(EventId id) const {
    return journal_.size() - id >= kAfter && journal_.at(spanOf(id)).duration != Event::kRunning;
  }

  std::deque<EventId> open_;  // ascending
};

using ProblemRules = std::vector<std::unique_ptr<ProblemRule>>;
// Each function appends the rules of one .cpp file.
void addCacheRules(const Journal& journal, ProblemRules& rules);
void addCopyRules(const Journal& journal, ProblemRules& rules);
void addDivergenceRule(const Journal& journal, ProblemRules& rules);
void addFiniteRules(const Journal& journal, ProblemRules& rules);
void addLateRankRule(const Journal& journal, ProblemRules& rules);
void addMaskRules(const Journal& journal, ProblemRules& rules);
void addOperatorRules(const Journal& journal, ProblemRules& rules);
void addPlacementRules(const Journal& journal, ProblemRules& rules);
// `inference` receives the events from the caller.
void addPlainRules(const Journal& journal, const std::shared_ptr<PlainInference>& inference,
                   ProblemRules& rules);
// The rule unequal-sizes sets `undefinedFrom` to its first event.
void addRankRules(const Journal& journal, const LostRanks& lost,
                  const std::shared_ptr<EventId>& undefinedFrom, ProblemRules& rules);
void addPartialRules(const Journal& journal, ProblemRules& rules);
void addTrafficRules(const Journal& journal, ProblemRules& rules);
void addValueRules(const Journal& journal, const LostRanks& lost, ProblemRules& rules);

}  // namespace shardlens
