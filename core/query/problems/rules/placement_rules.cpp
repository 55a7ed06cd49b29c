// Rules about tensors that are created with placements that every reader changes.
#include "core/base/wrapped_sum.h"
#include "core/model/byte_count.h"
#include "core/model/step_operators.h"
#include "core/query/language/event_around.h"
#include "core/query/problems/rules/problem_rule.h"
#include "core/view/words/names.h"
#include "core/view/words/placement_words.h"
#include "core/view/words/units.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

namespace shardlens {

namespace {

struct Placed;

// An operator call that reads a tensor placed by the program.
struct Reader {
  EventId call = 0;
  Placed* placed = nullptr;
  bool isMoved = false;
};

// Numbers of reads.
struct Reads {
  std::int64_t all = 0;
  std::int64_t moved = 0;  // reads that redistributed the tensor first

  void add(const Reader& reader) {
    ++all;
    moved += reader.isMoved ? 1 : 0;
  }
  Reads operator+(const Reads& more) const { return {all + more.all, moved + more.moved}; }
};

// All tensors of one name and spec, such as a weight in all steps of a loop.
struct Placed {
  EventId made = 0;
  TensorId tensor = 0;
  Reads reads = {};
  RouteId change = 0;          // of the first redistribution
  bool isOneChange = true;     // all redistributions have that route
  std::int64_t bytesSent = 0;  // by these redistributions
};

// Collects reads of the tensors that the program placed itself: inputs and explicitly redistributed
// tensors. For composite operators, the inner operators count as readers.
class PlacedTensors {
 public:
  explicit PlacedTensors(const Journal& journal) : journal_(journal) {}

  void take(EventId id, const Event& event) {
    if (event.parent == 0) endStep();
    if (event.kind == EventKind::Step) hasGap_ |= !recordsOperators(event);
    if (event.kind == EventKind::Result) takeResult(id, event);
    if (event.kind == EventKind::Operator) takeCall(id, event);
    if (event.kind == EventKind::Redistribute && event.verdict == Verdict::Implicit) {
      takeMove(id, event);
    }
    if (event.kind == EventKind::Collective) takeCollective(id, event);
  }

  // Returns "every reader"; "every recorded reader" if there were steps without operators.
  const char* everyReader() const { return hasGap_ ? "every recorded reader" : "every reader"; }

  // Returns the tensors that every reader redistributes, all in the same way.
  std::vector<Placed> misplaced() const {
    std::unordered_map<const Placed*, Reads> ofStep;
    for (const Reader& reader : readers_) ofStep[reader.placed].add(reader);
    std::vector<Placed> found;
    for (const auto& [key, placed] : placed_) {
      const auto more = ofStep.find(&placed);
      const Reads reads = more == ofStep.end() ? placed.reads : placed.reads + more->second;
      if (reads.all == 0 || reads.moved != reads.all || !placed.isOneChange) continue;
      found.push_back(placed);
      found.back().reads = reads;
    }
    return found;
  }

 private:
  std::uint64_t keyOf(TensorId id) const {
    return (std::uint64_t{journal_.nameOf(id)} << 32U) | journal_.specOf(id);
  }

  void takeResult(EventId id, const Event& event) {
    if (event.subject == 0 || event.subject > journal_.tensors()) return;
    const EventId move = aroundOf(journal_, id, EventKind::Redistribute);
    const bool isMoved = move != 0 && journal_.at(move).verdict == Verdict::Implicit;
    if (isMoved || aroundOf(journal_, id, EventKind::Operator) != 0) return;
    if (isPartialResult(event.subject)) return;
    auto& placed = placed_[keyOf(event.subject)];
    if (placed.made == 0) placed = {.made = id, .tensor = event.subject};
  }

  // Returns true for partial tensors, which must be reduced by some reader.
  bool isPartialResult(TensorId id) const {
    const Placements& placements = journal_.tensor(id).placements;
    return std::any_of(placements.begin(), placements.end(), isPartial);
  }

  void takeCall(EventId id, const Event& event) {
    const EventId outer =
        event.parent == 0 ? 0 : aroundOf(journal_, event.parent, EventKind::Operator);
    for (const TensorId input : journal_.inputs(id)) {
      if (input == 0 || input > journal_.tensors()) continue;
      const auto placed = placed_.find(keyOf(input));
      if (placed == placed_.end()) continue;
      std::erase_if(readers_, [&](const Reader& reader) {
        return reader.call == outer && reader.placed == &placed->second;
      });
      readers_.push_back({id, &placed->second});
    }
  }

  void takeMove(EventId id, const Event& event) {
    move_ = nullptr;
    const EventId call = aroundOf(journal_, id, EventKind::Operator);
    if (call == 0 || event.subject == 0 || event.subject > journal_.tensors()) return;
    const auto placed = placed_.find(keyOf(event.subject));
    if (placed == placed_.end()) return;
    for (Reader& reader : readers_) {
      if (reader.call != call || reader.placed != &placed->second) continue;
      reader.isMoved = true;
      move_ = reader.placed;
      moveId_ = id;
      if (move_->change == 0) move_->change = event.route;
      if (event.route == 0 || move_->change != event.route) move_->isOneChange = false;
    }
  }

  void takeCollective(EventId id, const Event& event) {
    if (move_ != nullptr && aroundOf(journal_, id, EventKind::Redistribute) == moveId_) {
      increase(move_->bytesSent, event.bytes);
    }
  }

  void endStep() {
    for (const Reader& reader : readers_) reader.placed->reads.add(reader);
    readers_.clear();
    move_ = nullptr;
  }

  const Journal& journal_;
  std::unordered_map<std::uint64_t, Placed> placed_;  // by keyOf()
  std::vector<Reader> readers_;  // calls of the current step, not yet in Placed::reads
  Placed* move_ = nullptr;       // tensor of the current redistribution
  EventId moveId_ = 0;
  bool hasGap_ = false;  // a step has no recorded operators
};

// Returns the placements to which every reader redistributes the tensor.
const Placements& targetOf(const Journal& journal, const Placed& placed) {
  return journal.route(placed.change).back();
}

// cheaper-placement: the redistributions send data.
class CheaperPlacement final : public ProblemRule {
 public:
  CheaperPlacement(const Journal& journal, std::shared_ptr<PlacedTensors> tensors)
      : ProblemRule(journal, "cheaper-placement", Problem::Severity::Warning),
        tensors_(std::move(tensors)) {}

  void take(EventId id, const Event& event) override { tensors_->take(id, event); }

  std::vector<Problem> problems(RunState /*run*/) const override {
    Found found = found_.none();
    for (const Placed& placed : tensors_->misplaced()) {
      if (placed.bytesSent == 0) continue;
      const std::string name = view::tensorName(journal_, placed.tensor);
      const Placements& placements = targetOf(journal_, placed);
      const auto target = view::PlacementWords(journal_, placed.tensor, notation_).of(placements);
      auto& problem = found.add(std::to_string(placed.made), placed.made).problem;
      problem.sentence =
          fmt::format("{} is {}, but {} ({}) redistributes it to {}: {} sent", name,
                      view::PlacementWords(journal_, notation_).of(journal_.tensor(placed.tensor)),
                      tensors_->everyReader(), view::timesText(placed.reads.all), target,
                      byteCountText(placed.bytesSent));
      problem.advice = fmt::format("place {} as {} from the start", name, target);
      problem.bytes = placed.bytesSent;
      problem.suspect = name;
      problem.repair = Repair{name, placements};
    }
    return found.problems();
  }

 private:
  std::shared_ptr<PlacedTensors> tensors_;
};

// replicated-for-nothing: a replicated tensor is sharded by every reader, without communication.
// Shares PlacedTensors with CheaperPlacement, which feeds it.
class NeedlesslyReplicated final : public ProblemRule {
 public:
  NeedlesslyReplicated(const Journal& journal, std::shared_ptr<PlacedTensors> tensors)
      : ProblemRule(journal, "replicated-for-nothing", Problem::Severity::Warning),
        tensors_(std::move(tensors)) {}

  void take(EventId /*id*/, const Event& /*event*/) override {}

  std::vector<Problem> problems(RunState /*run*/) const override {
    Found found = found_.none();
    for (const Placed& placed : tensors_->misplaced()) {
      const Placements& placements = targetOf(journal_, placed);
      const bool isSharded =
          std::any_of(placements.begin(), placements.end(),
                      [](const Placement& placement) { return shardedDim(placement).has_value(); });
      if (placed.bytesSent != 0 || !isSharded || !isReplicated(placed)) continue;
      const std::string name = view::tensorName(journal_, placed.tensor);
      const auto target = view::PlacementWords(journal_, placed.tensor, notation_).of(placements);
      auto& problem = found.add(std::to_string(placed.made), placed.made).problem;
      problem.sentence =
          fmt::format("each rank holds all of {}, but {} ({}) uses only {} of it", name,
                      tensors_->everyReader(), view::timesText(placed.reads.all), target);
      problem.advice = fmt::format("place {} as {}: that takes less memory", name, target);
      problem.repair = Repair{name, placements};
    }
    return found.problems();
  }

 private:
  bool isReplicated(const Placed& placed) const {
    const Placements& placements = journal_.tensor(placed.tensor).placements;
    return std::all_of(placements.begin(), placements.end(), isReplicate);
  }

  std::shared_ptr<PlacedTensors> tensors_;
};

}  // namespace

void addPlacementRules(const Journal& journal, ProblemRules& rules) {
  const auto tensors = std::make_shared<PlacedTensors>(journal);
  rules.push_back(std::make_unique<CheaperPlacement>(journal, tensors));
  rules.push_back(std::make_unique<NeedlesslyReplicated>(journal, tensors));
}

}  // namespace shardlens
