// Rules about mask buffers.
#include "core/query/problems/rules/problem_rule.h"
#include "core/trace/records/holder_record.h"

#include <fmt/core.h>

#include <map>

namespace shardlens {

namespace {

// mask-leaked: buffers that are still held at the end of the run.
class Leaked final : public ProblemRule {
 public:
  explicit Leaked(const Journal& journal)
      : ProblemRule(journal, "mask-leaked", Problem::Severity::Warning) {}

  void take(EventId id, const Event& event) override {
    if (!isOfMask(event.kind)) return;
    if (event.kind == EventKind::MaskMaterialized) {
      buffers_[event.subject] = {id, event.count, readHolder(journal_.detail(event))};
    } else if (event.kind == EventKind::MaskReleased && event.count == 0) {
      buffers_.erase(event.subject);
    }
  }

  // A refused run could not release its buffers.
  std::vector<Problem> problems(RunState run) const override {
    if (run == RunState::Running || journal_.firstError() != 0) return {};
    Found found = found_.none();
    for (const auto& [buffer, held] : buffers_) {
      auto& problem = found.add("", held.event).problem;
      problem.sentence = "mask buffers are held at the end, the last one by " + held.holder;
      problem.advice =
          "a result that is partial with a mask keeps its buffer until it is reduced: reduce or "
          "release it";
    }
    return found.problems();
  }

 private:
  struct Held {
    EventId event = 0;
    int refcount = 0;
    std::string holder;
  };
  std::map<BufferId, Held> buffers_;
};

// mask-drained: a buffer is applied with refcount 0.
class Drained final : public ProblemRule {
 public:
  explicit Drained(const Journal& journal)
      : ProblemRule(journal, "mask-drained", Problem::Severity::Error) {}

  void take(EventId id, const Event& event) override {
    if (event.kind != EventKind::MaskApplied || event.count != 0) return;
    auto& problem = found_.add(std::to_string(event.subject), id).problem;
    problem.sentence = fmt::format("mask buffer {} is applied without a holder", event.subject);
    problem.advice =
        "its mask was released: a result was reduced twice, or shares the mask of another result";
  }
};

}  // namespace

void addMaskRules(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<Drained>(journal));
  rules.push_back(std::make_unique<Leaked>(journal));
}

}  // namespace shardlens
