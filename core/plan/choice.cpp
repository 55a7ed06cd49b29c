#include "core/plan/choice.h"

#include "core/plan/merge.h"

#include <array>
#include <limits>

namespace shardlens {
namespace {

class Choice {
 public:
  Choice(const CostModel& model, const Spec& current, const Plan& greedy)
      : model_(model), current_(current), greedy_(greedy), best_(greedy), price_(priceOf(greedy)) {}

  void consider(const Plan& plan) {
    const Price price = priceOf(plan);
    constexpr double kNoticed = 1e-3;  // smaller differences may be rounding
    if (price.microseconds > price_.microseconds - kNoticed) return;
    if (isHeavier(plan) && bytesTime(greedy_) - bytesTime(plan) <= model_.startup) return;
    best_ = plan;
    price_ = price;
  }
  Plan take() { return std::move(best_); }

 private:
  using Kinds = std::array<int, kMoveCount>;  // number of collectives per move

  Price priceOf(const Plan& plan) const { return shardlens::priceOf(model_, current_, plan); }

  // Returns the part of the plan's time that depends on bytes.
  double bytesTime(const Plan& plan) const {
    CostModel latencies = model_;
    latencies.bandwidth = std::numeric_limits<double>::infinity();
    latencies.betweenHostsBandwidth = latencies.bandwidth;
    return priceOf(plan).microseconds - shardlens::priceOf(latencies, current_, plan).microseconds;
  }

  Kinds kindsOf(const Plan& plan) const {
    Kinds kinds{};
    for (const auto& step : plan) {
      if (isCollective(step.move) && groupSize(*current_.mesh, step.meshDims) > 1) {
        ++kinds[static_cast<std::size_t>(step.move)];
      }
    }
    return kinds;
  }
  // Returns true if the plan uses a heavier kind of collective than greedy; see cheapest().
  bool isHeavier(const Plan& plan) const {
    const Kinds ours = kindsOf(plan);
    const Kinds theirs = kindsOf(greedy_);
    const auto of = [](const Kinds& kinds, Move move) {
      return kinds[static_cast<std::size_t>(move)] > 0;
    };
    const bool scatters = of(theirs, Move::ReduceScatter);
    return ours != theirs &&
           ((of(ours, Move::AllGather) && (scatters || of(theirs, Move::AllToAll))) ||
            (of(ours, Move::AllReduce) && scatters));
  }

  const CostModel& model_;
  const Spec& current_;
  const Plan& greedy_;
  Plan best_;
  Price price_;
};

}  // namespace

Plan cheapest(const CostModel& model, const Spec& current, const Plan& greedy, const Plan& found) {
  Choice choice(model, current, greedy);
  choice.consider(found);
  if (const auto plan = merged(model, current, greedy)) choice.consider(*plan);
  if (const auto plan = merged(model, current, found)) choice.consider(*plan);
  return choice.take();
}

}  // namespace shardlens
