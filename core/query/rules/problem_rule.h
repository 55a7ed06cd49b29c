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
    const auto [place, isNew] = of_.try_emplace(where, nullptr);
    if (isNew) {
      place->second = &all_.emplace_back();
      place->second->problem.rule = rule_;
      place->second->problem.severity = severity_;
    }
    return *place->second;
  }
  One& add(const std::string& where, EventId event) {
    One& one = at(where);
    auto& events = one.problem.events;
    if (events.empty() || events.back() != event) ++one.problem.times;
    const bool isKept = events.size() < Problem::kMostEvents;
    if (isKept && (events.empty() || events.back() != event)) events.push_back(event);
    return one;
  }
  std::deque<One>& all() { return all_; }
  const std::string& rule() const { return rule_; }

 private:
  std::string rule_;
  Problem::Severity severity_;
  std::deque<One> all_;
  std::map<std::string, One*> of_;
};

// Looks for one kind of problem. It is shown all events of a journal in order, and then says in
// words what it found.
class ProblemRule {
 public:
  ProblemRule(const Journal& journal, std::string name, Problem::Severity severity)
      : journal_(journal), found_(std::move(name), severity) {}
  virtual ~ProblemRule() = default;
  ProblemRule(const ProblemRule&) = delete;
  ProblemRule& operator=(const ProblemRule&) = delete;

  virtual void take(EventId id, const Event& event) = 0;
  virtual void end() {}
  Found& found() { return found_; }

 protected:
  const Journal& journal_;
  Found found_;
};

using ProblemRules = std::vector<std::unique_ptr<ProblemRule>>;
void addCacheRules(const Journal& journal, ProblemRules& rules);
void addMaskRules(const Journal& journal, ProblemRules& rules);
void addPlacementRules(const Journal& journal, ProblemRules& rules);
void addRankRules(const Journal& journal, ProblemRules& rules);
void addTrafficRules(const Journal& journal, ProblemRules& rules);
void addValueRules(const Journal& journal, ProblemRules& rules);

}  // namespace shardlens
