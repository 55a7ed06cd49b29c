#include "core/ops/search.h"

#include "core/base/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace shardlens {
namespace {

using Choice = std::vector<std::size_t>;  // of a row, for each mesh dimension

bool sameRow(const Row& a, const Row& b) { return a.outputs == b.outputs && a.inputs == b.inputs; }

// The row that is always possible, and the rule's; the first of equal ones.
std::vector<Row> distinct(const OpSchema& call, std::vector<Row> rows) {
  std::vector<Row> all{{"replicate", Placements(call.outputs.size(), Replicate{}),
                        Placements(call.inputs.size(), Replicate{})}};
  for (auto& row : rows) {
    SL_CHECK(row.outputs.size() == call.outputs.size() && row.inputs.size() == call.inputs.size(),
             "a placement for each tensor of " + call.name);
    const bool known =
        std::any_of(all.begin(), all.end(), [&](const Row& other) { return sameRow(row, other); });
    if (!known) all.push_back(std::move(row));
  }
  return all;
}

class Search {
 public:
  Search(const OpSchema& call, std::vector<Row> rows, Pricing& pricing, Reasons reasons)
      : call_(call),
        rows_(distinct(call, std::move(rows))),
        pricing_(pricing),
        dims_(static_cast<std::size_t>(call.mesh->ndim())) {
    // Up to so many are shown to whoever asks why; beyond, only what may be the best is looked at.
    constexpr double kShown = 1024;
    exhaustive_ = reasons == Reasons::Asked &&
                  std::pow(static_cast<double>(rows_.size()), static_cast<double>(dims_)) <= kShown;
  }

  std::vector<OpStrategy> run() {
    if (!exhaustive_ && findStaying()) return std::move(found_);
    setBounds();
    Choice choice;
    // A good one early leaves much of the rest.
    if (!exhaustive_) tryChoice(first_ = cheapestRows());
    visit(choice, 0);
    sortFound();
    return std::move(found_);
  }

 private:
  // Rows that leave all inputs where they are; the first allowed choice of them is the best.
  bool findStaying() {
    std::vector<Choice> staying(dims_);
    for (std::size_t dim = 0; dim < dims_; ++dim) {
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        if (stays(rows_[r], dim)) staying[dim].push_back(r);
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

  bool stays(const Row& row, std::size_t dim) const {
    for (std::size_t i = 0; i < call_.inputs.size(); ++i) {
      if (row.inputs[i] != call_.inputs[i].placements[dim]) return false;
    }
    return true;
  }

  void setBounds() {
    bounds_.assign(dims_, std::vector<double>(rows_.size(), 0));
    restAtLeast_.assign(dims_ + 1, 0);
    for (std::size_t dim = dims_; dim-- > 0;) {
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        for (std::size_t i = 0; i < call_.inputs.size(); ++i) {
          bounds_[dim][r] += pricing_.atLeast(i, dim, rows_[r].inputs[i]);
        }
      }
      restAtLeast_[dim] =
          restAtLeast_[dim + 1] + *std::min_element(bounds_[dim].begin(), bounds_[dim].end());
    }
  }

  Choice cheapestRows() const {
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
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      choice.push_back(r);
      const double bound = atLeast + bounds_[dim][r];
      if (exhaustive_ || mayBeBest(choice, bound + restAtLeast_[dim + 1])) visit(choice, bound);
      choice.pop_back();
    }
  }

  bool mayBeBest(const Choice& prefix, double atLeast) const {
    // Sums of the same terms in another order differ in their last digits.
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
      const Row& row = rows_[r];
      if (strategy.name.empty()) {
        strategy.name = row.name;
      } else if (strategy.name != row.name) {
        strategy.name += " x " + row.name;
      }
      for (std::size_t i = 0; i < row.outputs.size(); ++i) {
        strategy.outputs[i].push_back(row.outputs[i]);
      }
      for (std::size_t i = 0; i < row.inputs.size(); ++i) {
        strategy.inputs[i].push_back(row.inputs[i]);
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
  std::vector<Row> rows_;
  Pricing& pricing_;
  std::size_t dims_;
  bool exhaustive_ = false;
  std::vector<std::vector<double>> bounds_;  // what a row costs at least, for each mesh dimension
  std::vector<double> restAtLeast_;          // what this mesh dimension and those after it cost
  double best_ = std::numeric_limits<double>::infinity();
  Choice bestChoice_;
  Choice first_;  // tried before the others
  std::vector<OpStrategy> found_;
  std::vector<std::pair<double, Choice>> ranks_;  // of those found
};

}  // namespace

std::vector<OpStrategy> searchRows(const OpSchema& call, std::vector<Row> rows, Pricing& pricing,
                                   Reasons reasons) {
  return Search(call, std::move(rows), pricing, reasons).run();
}

}  // namespace shardlens
