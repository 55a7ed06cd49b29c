// Rules about avoidable communication, and redistributions that take longer than estimated.
#include "core/base/wrapped_sum.h"
#include "core/model/byte_count.h"
#include "core/model/mesh.h"
#include "core/query/language/event_around.h"
#include "core/query/problems/odd_placements.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/query/problems/usual_inputs.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/plan_record.h"
#include "core/view/words/names.h"
#include "core/view/words/placement_words.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace shardlens {

namespace {

// implicit-redistribution: an operator's implicit redistribution communicates.
class Implicit final : public ProblemRule {
 public:
  explicit Implicit(const Journal& journal)
      : ProblemRule(journal, "implicit-redistribution", Problem::Severity::Warning),
        placed_(journal),
        usual_(journal) {}

  void take(EventId id, const Event& event) override {
    placed_.take(id, event);
    if (event.kind == EventKind::Operator) usual_.take(id);
    if (event.kind != EventKind::Collective || event.parent == 0) return;
    const EventId move = aroundOf(journal_, id, EventKind::Redistribute);
    if (move == 0) return;
    const Event cause = journal_.at(move);
    if (cause.verdict != Verdict::Implicit || isNorm(cause.subject)) return;
    const EventId call = aroundOf(journal_, move, EventKind::Operator);
    const StringId op = call == 0 ? 0 : journal_.at(call).name;
    const std::string where = fmt::format("{} {}", op, Journal::nameKey(cause));
    auto& one = found_.add(where, move);
    increase(one.sum, event.bytes);
    one.problem.bytes = one.sum;
    Calls& calls = calls_[where];
    if (calls.move == 0) calls.move = move, calls.op = op, calls.first = call;
    if (call == 0 || std::exchange(calls.newest, call) == call) return;
    usual_.addMoved(call);
    for (const TensorId input : journal_.inputs(call)) {
      const TensorId placed = placed_.placedOf(input);
      const bool isListed = std::ranges::find(calls.inputs, placed) != calls.inputs.end();
      if (placed == 0 || isListed || calls.inputs.size() == Calls::kMost) continue;
      calls.inputs.push_back(placed);
    }
  }

  std::vector<Problem> problems(RunState /*run*/) const override {
    Found found = found_;
    for (const auto& [where, calls] : calls_) {
      auto& one = found.at(where);
      const Event cause = journal_.at(calls.move);
      const std::string op(calls.op == 0 ? "an operator" : journal_.text(calls.op));
      one.problem.sentence = fmt::format(
          "implicit redistribution before {}: {} {}, {} sent", op,
          view::tensorName(journal_, cause.subject),
          view::truncated(
              view::PlacementWords(journal_, cause.subject, notation_).route(journal_, cause)),
          byteCountText(one.sum));
      one.problem.advice =
          "redistribute it once before, or choose placements that the operator accepts";
      explain(calls, cause.subject, one.problem);
    }
    return found.problems();
  }

 private:
  // The calls that one problem is about.
  struct Calls {
    static constexpr std::size_t kMost = 64;

    StringId op = 0;                    // the name of the operator that caused it, or 0
    EventId move = 0;                   // the first redistribution
    EventId first = 0;                  // the call that it is part of, or 0
    EventId newest = 0;                 // the last call that was read
    std::vector<TensorId> inputs = {};  // placed tensors that the calls read, the first kMost
  };

  // Sets the suspect: the input that is placed otherwise than in the other layers; else an input
  // that the program placed, rather another one than the tensor that is redistributed. Without
  // layers, the cause is the input that is placed otherwise than in other calls at the line.
  void explain(const Calls& calls, TensorId moved, Problem& problem) const {
    for (const TensorId input : calls.inputs) {
      const auto odd = placed_.oddOf(input);
      if (!odd) continue;
      problem.suspect = view::tensorName(journal_, input);
      problem.cause = view::oddPlacementText(journal_, *odd, notation_);
      problem.repair = Repair{problem.suspect, journal_.tensor(odd->other).placements};
      problem.advice = fmt::format("place {} as in the other layers", problem.suspect);
      return;
    }
    if (calls.first != 0) problem.cause = usual_.differenceOf(calls.first, notation_);
    const TensorId own = placed_.placedOf(moved);
    const auto other = std::ranges::find_if(calls.inputs, [&](TensorId id) { return id != own; });
    if (other != calls.inputs.end()) problem.suspect = view::tensorName(journal_, *other);
    if (problem.suspect.empty() && own != 0) problem.suspect = view::tensorName(journal_, own);
  }

  // Returns true for partial norms, as in clip_grad_norm_(): a norm of a sharded tensor cannot do
  // without their reduction.
  bool isNorm(TensorId tensor) const {
    if (tensor == 0) return false;
    const Placements& placements = journal_.spec(journal_.specOf(tensor)).placements;
    return std::any_of(placements.begin(), placements.end(), [](const Placement& each) {
      return std::holds_alternative<NormPartial>(each);
    });
  }

  OddPlacements placed_;
  UsualInputs usual_;
  std::unordered_map<std::string, Calls> calls_;  // by the key of the problem
};

// all-reduce-then-slice: a tensor is all-reduced and then sharded. A reduce_scatter would send the
// shards only.
class ReducedThenSharded final : public ProblemRule {
 public:
  explicit ReducedThenSharded(const Journal& journal)
      : ProblemRule(journal, "all-reduce-then-slice", Problem::Severity::Warning) {}

  void take(EventId id, const Event& event) override {
    if (event.collective() == CollectiveKind::AllReduce) {
      reduced_ = aroundOf(journal_, id, EventKind::Redistribute);
    } else if (event.kind == EventKind::Result && reduced_ != 0 && event.parent == reduced_) {
      bySum_[event.subject] = reduced_;
    } else if (event.kind == EventKind::Redistribute) {
      const auto sum = bySum_.find(event.subject);
      if (sum == bySum_.end() || !isSharding(event, journal_.at(sum->second))) return;
      const std::string tensor = view::tensorName(journal_, event.subject);
      auto& problem = found_.add(tensor, id).problem;
      problem.sentence =
          tensor + " is reduced on all ranks and then sharded: " +
          view::truncated(
              view::PlacementWords(journal_, event.subject, notation_).route(journal_, event));
      problem.advice =
          "redistribute the partial result directly to the shards: a reduce_scatter sends less "
          "than half";
    }
  }

 private:
  // Returns true if `move` shards a mesh dimension that `reduction` reduced.
  bool isSharding(const Event& move, const Event& reduction) const {
    const Route& reduced = journal_.route(reduction.route);
    const Route& moved = journal_.route(move.route);
    if (reduced.empty() || moved.empty()) return false;
    const auto &partial = reduced.front(), &from = moved.front(), &to = moved.back();
    if (partial.size() != from.size() || from.size() != to.size()) return false;
    for (std::size_t dim = 0; dim < to.size(); ++dim) {
      if (isPartial(partial[dim]) && isReplicate(from[dim]) && shardedDim(to[dim])) return true;
    }
    return false;
  }

  EventId reduced_ = 0;
  std::unordered_map<TensorId, EventId> bySum_;
};

// uneven-shards: shards padded to one size would waste more than a quarter.
class Padding final : public ProblemRule {
 public:
  explicit Padding(const Journal& journal)
      : ProblemRule(journal, "uneven-shards", Problem::Severity::Warning) {}

  void take(EventId id, const Event& event) override {
    const bool isMade = event.kind == EventKind::Result && event.subject != 0;
    if (!isMade || event.subject > journal_.tensors()) return;
    const SpecId spec = journal_.specOf(event.subject);
    const auto [known, isNew] = wasted_.try_emplace(spec, 0.0);
    if (isNew) known->second = wastedBy(journal_.spec(spec));
    constexpr double kMost = 0.25;
    if (known->second <= kMost) return;
    const TensorRecord tensor = journal_.tensor(event.subject);
    auto& problem = found_.add(std::to_string(spec), id).problem;
    if (!problem.sentence.empty()) return;
    problem.sentence = fmt::format(
        "{}, {} as {}, is sharded so unevenly that equal shards would be {:.0f}% padding",
        view::tensorName(journal_, event.subject), view::tensorText(tensor),
        view::PlacementWords(journal_, notation_).of(tensor), 100 * known->second);
    problem.advice = "choose sizes that the mesh divides, or shard another dimension";
  }

 private:
  // Returns the padding, as a fraction of the memory of equal-sized shards.
  double wastedBy(const Spec& spec) const {
    const auto mesh = meshOf(journal_, spec.mesh);
    if (!mesh || spec.placements.size() != static_cast<std::size_t>(mesh->ndim())) return 0;
    double used = 1;
    std::map<int, std::int64_t> dims;
    for (int dim = 0; dim < mesh->ndim(); ++dim) {
      const auto* shard = std::get_if<Shard>(&spec.placements[static_cast<std::size_t>(dim)]);
      if (shard == nullptr) continue;
      auto [place, isNew] = dims.try_emplace(shard->dim, 1);
      place->second *= mesh->size(dim);
    }
    for (const auto& [dim, count] : dims) {
      if (dim < 0 || static_cast<std::size_t>(dim) >= spec.meta.shape.size()) return 0;
      const std::int64_t length = spec.meta.shape[static_cast<std::size_t>(dim)];
      if (length == 0) continue;
      const std::int64_t largest = (length + count - 1) / count;
      used *= static_cast<double>(length) / static_cast<double>(largest * count);
    }
    return 1 - used;
  }

  std::unordered_map<SpecId, double> wasted_;
};

// misestimated-plan: a redistribution takes 10 times longer than the planner estimated.
class Misestimated final : public LateRule {
 public:
  explicit Misestimated(const Journal& journal)
      : LateRule(journal, "misestimated-plan", Problem::Severity::Warning) {}

 private:
  bool isSuspect(EventId id, const Event& event) const override {
    if (event.kind != EventKind::Plan) return false;
    return isOfProcesses(journal_) && spanOf(id) != 0;
  }

  EventId spanOf(EventId id) const override {
    return aroundOf(journal_, id, EventKind::Redistribute);
  }

  void judge(EventId id, Found& found) const override {
    const Event event = journal_.at(id);
    const EventId move = spanOf(id);
    const std::int64_t took = journal_.at(move).duration;
    double estimated = 0;
    for (const auto& step : readPlan(journal_.detail(event)).steps) estimated += step.microseconds;
    constexpr double kFar = 10;
    // Nanoseconds; shorter ones are dominated by overhead.
    constexpr std::int64_t kShort = 1'000'000;
    if (estimated <= 0 || took < kShort || static_cast<double>(took) < kFar * 1e3 * estimated)
      return;
    auto& problem = found.add(std::string(journal_.name(event)), move).problem;
    if (!problem.sentence.empty()) return;
    problem.sentence = fmt::format(
        "{} took {}, estimated {}",
        view::truncated(view::PlacementWords(journal_, journal_.at(move).subject, notation_)
                            .route(journal_, event)),
        view::durationText(took), view::microsecondsText(estimated));
    problem.advice = "give the planner the links of this machine: a topology file, see plan --help";
  }
};

}  // namespace

void addTrafficRules(const Journal& journal, ProblemRules& rules) {
  rules.push_back(std::make_unique<Implicit>(journal));
  rules.push_back(std::make_unique<ReducedThenSharded>(journal));
  rules.push_back(std::make_unique<Padding>(journal));
  rules.push_back(std::make_unique<Misestimated>(journal));
}

}  // namespace shardlens
