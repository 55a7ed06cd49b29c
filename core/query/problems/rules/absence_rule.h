#pragma once

#include "core/query/problems/rank_ends.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/journal/tensor_ranks.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shardlens {

// Caches whether ranks of a collective's groups did not call it, for the event that was examined
// last. Rules that take the same event share the answer.
class Absences {
 public:
  bool areAt(const Journal& journal, EventId id) {
    if (id != id_) areAny_ = !missingMembers(journal, id).empty();
    id_ = id;
    return areAny_;
  }

 private:
  EventId id_ = 0;
  bool areAny_ = false;
};
using SharedAbsences = std::shared_ptr<Absences>;

// Base of rules about collectives that some ranks did not call. Absence is final, because a journal
// that grows is merged again from the start.
class AbsenceRule : public LateRule {
 public:
  AbsenceRule(const Journal& journal, SharedAbsences absences, std::string name,
              Problem::Severity severity)
      : LateRule(journal, std::move(name), severity), absences_(std::move(absences)) {}
  bool judgesOutcomes() const override { return true; }

 protected:
  bool isSuspect(EventId id, const Event& event) const override {
    return event.kind == EventKind::Collective && absences_->areAt(journal_, id);
  }

 private:
  SharedAbsences absences_;
};

// rank-ended: ranks failed in a collective that another rank did not call, because it left the
// program.
std::unique_ptr<ProblemRule> endedRule(const Journal& journal, SharedAbsences absences,
                                       LostRanks lost);

}  // namespace shardlens
