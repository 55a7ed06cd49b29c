#include "core/ops/search.h"

#include "core/base/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardlens {
namespace {

using Choice = std::vector<std::size_t>;  // index of a strategy per mesh dimension

bool sameStrategy(const SingleDimStrategy& a, const SingleDimStrategy& b) {
  return a.outputs == b.outputs && a.inputs == b.inputs;
}

// Returns the strategy with all inputs replicated, then the rule's, without duplicates.
std::vector<SingleDimStrategy> distinct(const OpSchema& call,
                                        std::vector<SingleDimStrategy> strategies) {
  std::vector<SingleDimStrategy> all{{"replicate", Placements(call.outputs.size(), Replicate{}),
                                      Placements(call.inputs.size(), Replicate{})}};
  for (auto& single : strategies) {
    SL_CHECK(
        single.outputs.size() == call.outputs.size() && single.inputs.size() == call.inputs.size(),
        "a placement for each tensor of " + call.name);
    const bool known = std::any_of(all.begin(), all.end(), [&](const SingleDimStrategy& other) {
      return sameStrategy(single, other);
    });
    if (!known) all.push_back(std::move(single));
  }
  return all;
}

class Search {
 public:
  Search(const OpSchema& call, std::vector<SingleDimStrategy> strategies, Pricing& pricing,
         Reasons reasons)
      : call_(call),
        strategies_(distinct(call, std::move(strategies))),
        pricing_(pricing),
        dims_(static_cast<std::size_t>(call.mesh->ndim())) {
    // Up to this many combinations are all priced to be shown.
    constexpr double kShown = 1024;
    exhaustive_ = reasons == Reasons::Include && std::pow(static_cast<double>(strategies_.size()),
                                                          static_cast<double>(dims_)) <= kShown;
  }

  std::vector<OpStrategy> run() {
    if (!exhaustive_ && findStaying()) return std::move(found_);
    setBounds();
    Choice choice;
    // A good strategy early prunes much of the rest.
    if (!exhaustive_) tryChoice(first_ = cheapestStrategies());
    visit(choice, 0);
    sortFound();
    return std::move(found_);
  }

 private:
  // Finds the first allowed combination that leaves all inputs in place. It is the best one,
  // because halos cost less than redistributions. Returns false if there is none.
  bool findStaying() {
    std::vector<Choice> staying(dims_);
    for (std::size_t dim = 0; dim < dims_; ++dim) {
      for (std::size_t r = 0; r < strategies_.size(); ++r) {
        if (stays(strategies_[r], dim)) staying[dim].push_back(r);
      }
      if (staying[dim].empty()) return false;
    }
    Choice at(dims_, 0), choice(dims_);
    while (true) {
      for (std::size_t dim = 0; dim < dims_; ++dim) choice[dim] = staying[dim][at[dim]];
      if (tryChoice(choice)) return true;
      std::size_t dim = dims_;
      while (dim > 0 && ++at[dim - 1] == staying[dim - 1].size()) at[--dim] = 0;
      if (dim == 0) return false;
    }
  }

  bool stays(const SingleDimStrategy& single, std::size_t dim) const {
    for (std::size_t i = 0; i < call_.inputs.size(); ++i) {
      if (single.inputs[i] != call_.inputs[i].placements[dim]) return false;
    }
    return true;
  }

  void setBounds() {
    bounds_.assign(dims_, std::vector<double>(strategies_.size(), 0));
    restAtLeast_.assign(dims_ + 1, 0);
    for (std::size_t dim = dims_; dim-- > 0;) {
      for (std::size_t r = 0; r < strategies_.size(); ++r) {
        for (std::size_t i = 0; i < call_.inputs.size(); ++i) {
          bounds_[dim][r] += pricing_.atLeast(i, dim, strategies_[r].inputs[i]);
        }
      }
      restAtLeast_[dim] =
          restAtLeast_[dim + 1] + *std::min_element(bounds_[dim].begin(), bounds_[dim].end());
    }
  }

  Choice cheapestStrategies() const {
    Choice choice;
    for (const auto& bounds : bounds_) {
      const auto least = std::min_element(bounds.begin(), bounds.end());
      choice.push_back(static_cast<std::size_t>(least - bounds.begin()));
    }
    return choice;
  }

  void visit(Choice& choice, double atLeast) {
    const std::size_t dim = choice.size();
    if (dim == dims_) {
      if (choice != first_) tryChoice(choice);
      return;
    }
    for (std::size_t r = 0; r < strategies_.size(); ++r) {
      choice.push_back(r);
      const double bound = atLeast + bounds_[dim][r];
      if (exhaustive_ || mayBeBest(choice, bound + restAtLeast_[dim + 1])) visit(choice, bound);
      choice.pop_back();
    }
  }

  bool mayBeBest(const Choice& prefix, double atLeast) const {
    // Sums of the same costs in another order differ in their last digits.
    constexpr double kRounding = 1e-9;
    if (atLeast > best_ * (1 + kRounding)) return false;
    const bool isLater = std::lexicographical_compare(
        bestChoice_.begin(),
        bestChoice_.begin() +
            static_cast<std::ptrdiff_t>(std::min(prefix.size(), bestChoice_.size())),
        prefix.begin(), prefix.end());
    return !(isLater && atLeast >= best_);
  }

  bool tryChoice(const Choice& choice) {
    auto strategy = pricing_.priced(assemble(choice));
    if (!strategy) return false;
    const double cost = movesNothing(*strategy, call_) ? -1 : strategy->cost;
    if (cost < best_ || (cost == best_ && choice < bestChoice_)) {
      best_ = cost;
      bestChoice_ = choice;
    }
    ranks_.push_back({cost, choice});
    found_.push_back(std::move(*strategy));
    return true;
  }

  OpStrategy assemble(const Choice& choice) const {
    OpStrategy strategy;
    strategy.outputs.resize(call_.outputs.size());
    strategy.inputs.resize(call_.inputs.size());
    for (const auto r : choice) {
      const SingleDimStrategy& single = strategies_[r];
      if (strategy.name.empty()) {
        strategy.name = single.name;
      } else if (strategy.name != single.name) {
        strategy.name += " x " + single.name;
      }
      for (std::size_t i = 0; i < single.outputs.size(); ++i) {
        strategy.outputs[i].push_back(single.outputs[i]);
      }
      for (std::size_t i = 0; i < single.inputs.size(); ++i) {
        strategy.inputs[i].push_back(single.inputs[i]);
      }
    }
    return strategy;
  }

  void sortFound() {
    std::vector<std::size_t> order(found_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return ranks_[a] < ranks_[b]; });
    std::vector<OpStrategy> sorted;
    sorted.reserve(found_.size());
    for (const auto i : order) sorted.push_back(std::move(found_[i]));
    found_ = std::move(sorted);
  }

  const OpSchema& call_;
  std::vector<SingleDimStrategy> strategies_;
  Pricing& pricing_;
  std::size_t dims_;
  bool exhaustive_ = false;
  std::vector<std::vector<double>> bounds_;  // lower bound on a strategy's cost, per mesh dimension
  std::vector<double> restAtLeast_;  // lower bound for this mesh dimension and those after it
  double best_ = std::numeric_limits<double>::infinity();
  Choice bestChoice_;
  Choice first_;  // tried before the search
  std::vector<OpStrategy> found_;
  std::vector<std::pair<double, Choice>> ranks_;  // cost and choice of each strategy in found_
};

}  // namespace

std::vector<OpStrategy> searchStrategies(const OpSchema& call,
                                         std::vector<SingleDimStrategy> strategies,
                                         Pricing& pricing, Reasons reasons) {
  return Search(call, std::move(strategies), pricing, reasons).run();
}

}  // namespace shardlens
