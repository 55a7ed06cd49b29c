#include "tests/tensor/rules/samples.h"

#include <cmath>
#include <limits>

namespace shardlens {
namespace {

using Tensors = Sample::Tensors;

constexpr double kInf = std::numeric_limits<double>::infinity();

// Adds an operator over all dimensions, and over one dimension that is removed or kept.
template <class Whole, class Along>
void addReduction(std::vector<Sample>& samples, const std::string& name, const at::Tensor& x,
                  Whole whole, Along along) {
  samples.push_back(sampleOf(name, x, whole));
  for (const int dim : {0, -1}) {
    for (const bool keep : {false, true}) {
      const auto of = " over " + std::to_string(dim) + (keep ? " kept" : "");
      samples.push_back(sampleOf(name + of, x, [=](auto& t) { return along(t, dim, keep); }));
    }
  }
}

// Returns a sample with several results.
Sample several(std::string name, at::Tensor a, std::function<Tensors(const at::Tensor&)> call) {
  return {std::move(name), {std::move(a)}, [call = std::move(call)](const Tensors& t) {
            return call(t[0]);
          }};
}

template <class Pair>
Tensors both(Pair pair) {
  return {std::get<0>(pair), std::get<1>(pair)};
}

std::vector<Sample> folds() {
  const auto x = wholeNumbers({5, 4});
  const auto positive = wholeNumbers({5, 4}).abs().div(12).add(1);
  const auto holed = at::where(x > 30, at::full({}, NAN), x);
  std::vector<Sample> all;
  const auto add = [&](const std::string& name, const at::Tensor& of, auto whole, auto along) {
    addReduction(all, name, of, whole, along);
  };
  add(
      "sum", x, [](auto& t) { return t.sum(); },
      [](auto& t, int dim, bool keep) { return t.sum(dim, keep); });
  add(
      "mean", x, [](auto& t) { return t.mean(); },
      [](auto& t, int dim, bool keep) { return t.mean(dim, keep); });
  add(
      "nansum", holed, [](auto& t) { return t.nansum(); },
      [](auto& t, int dim, bool keep) { return t.nansum(dim, keep); });
  add(
      "prod", positive, [](auto& t) { return t.prod(); },
      [](auto& t, int dim, bool keep) { return t.prod(dim, keep); });
  add(
      "amax", x, [](auto& t) { return t.max(); },
      [](auto& t, int dim, bool keep) { return t.amax(dim, keep); });
  add(
      "amin", x, [](auto& t) { return t.min(); },
      [](auto& t, int dim, bool keep) { return t.amin(dim, keep); });
  add(
      "amax of what is no number", holed, [](auto& t) { return t.max().isnan(); },
      [](auto& t, int dim, bool keep) { return t.amax(dim, keep).isnan(); });
  add(
      "any", x > 60, [](auto& t) { return t.any(); },
      [](auto& t, int dim, bool keep) { return t.any(dim, keep); });
  add(
      "all", x > -60, [](auto& t) { return t.all(); },
      [](auto& t, int dim, bool keep) { return t.all(dim, keep); });
  add(
      "argmax", x, [](auto& t) { return t.argmax(); },
      [](auto& t, int dim, bool keep) { return t.argmax(dim, keep); });
  add(
      "argmin", x, [](auto& t) { return t.argmin(); },
      [](auto& t, int dim, bool keep) { return t.argmin(dim, keep); });
  add(
      "argmax of equals", x.remainder(36), [](auto& t) { return t.argmax(); },
      [](auto& t, int dim, bool keep) { return t.argmax(dim, keep); });
  add(
      "argmax of what is no number", holed, [](auto& t) { return t.argmax(); },
      [](auto& t, int dim, bool keep) { return t.argmax(dim, keep); });
  add(
      "std", x, [](auto& t) { return t.std(); },
      [](auto& t, int dim, bool keep) { return t.std(dim, true, keep); });
  add(
      "var", x, [](auto& t) { return t.var(0); },
      [](auto& t, int dim, bool keep) { return t.var(at::IntArrayRef(dim), 0, keep); });
  for (const double order : {0., 1., 2., 3., kInf, -kInf, -1.}) {
    add(
        "linalg_vector_norm " + std::to_string(order), x + 100,
        [=](auto& t) { return at::linalg_vector_norm(t, order); },
        [=](auto& t, int dim, bool keep) { return at::linalg_vector_norm(t, order, dim, keep); });
  }
  add(
      "count_nonzero", x.relu(), [](auto& t) { return t.count_nonzero(std::nullopt); },
      [](auto& t, int dim, bool) { return t.count_nonzero(std::optional<std::int64_t>(dim)); });
  add(
      "logsumexp", x.div(100),
      [](auto& t) {
        return at::logsumexp(t, {0, 1});
      },
      [](auto& t, int dim, bool keep) { return at::logsumexp(t, dim, keep); });
  add(
      "median", x, [](auto& t) { return t.median(); },
      [](auto& t, int dim, bool keep) { return std::get<0>(t.median(dim, keep)); });
  return all;
}

// Reductions of integers, to other dtypes, and of tensors with an empty dimension.
std::vector<Sample> otherTypes() {
  const auto x = wholeNumbers({5, 4}).to(at::kLong);
  const auto halves = wholeNumbers({5, 4}).div(12).add(0.5);
  const auto narrow = at::empty({0, 4});
  return {
      sampleOf("sum of int64", x, [](auto& t) { return t.sum(1); }),
      sampleOf("prod of int32", x.div(12, "floor").to(at::kInt), [](auto& t) { return t.prod(0); }),
      sampleOf("amax of int64", x, [](auto& t) { return t.amax(0); }),
      sampleOf("min of int64", x, [](auto& t) { return t.min(); }),
      sampleOf("argmax of int64", x, [](auto& t) { return t.argmax(); }),
      sampleOf("mean to float64", x, [](auto& t) { return t.mean(0, false, at::kDouble); }),
      sampleOf("sum to float64", x, [](auto& t) { return t.sum(at::kDouble); }),
      // Halves, because their partial values are truncated differently.
      sampleOf("sum of truncated", halves, [](auto& t) { return t.sum(at::kLong); }),
      sampleOf("cumsum of truncated", halves, [](auto& t) { return t.cumsum(0, at::kLong); }),
      sampleOf("any of float", x.to(at::kFloat), [](auto& t) { return t.any(0); }),
      sampleOf("all of uint8", x.to(at::kByte), [](auto& t) { return t.all(1); }),
      sampleOf("sum of nothing", narrow, [](auto& t) { return t.sum(0); }),
      sampleOf("amax along nothing", narrow, [](auto& t) { return t.amax(1); }),
      sampleOf("amax of all dims", x, [](auto& t) { return t.amax(); }),
      sampleOf("sum of no dims", x, [](auto& t) { return t.sum(at::IntArrayRef{}); }),
      sampleOf("any of no dims", x, [](auto& t) { return at::any(t, at::IntArrayRef{}, false); }),
      sampleOf("any of two dims", x,
               [](auto& t) {
                 return at::any(t, {0, 1}, true);
               }),
  };
}

std::vector<Sample> withIndices() {
  // All values differ, so indices are unique.
  const auto x = at::arange(20).mul(7).remainder(20).to(at::kFloat).reshape({5, 4});
  return {
      several("max.dim", x, [](auto& t) { return both(t.max(0)); }),
      several("min.dim kept", x, [](auto& t) { return both(t.min(1, true)); }),
      several("median.dim", x, [](auto& t) { return both(t.median(1)); }),
      several("nanmedian.dim", x, [](auto& t) { return both(t.nanmedian(0)); }),
      several("mode", x, [](auto& t) { return both(t.mode(0)); }),
      several("kthvalue", x, [](auto& t) { return both(t.kthvalue(2, 0)); }),
      several("cummax", x, [](auto& t) { return both(t.cummax(0)); }),
      several("cummin", x, [](auto& t) { return both(t.cummin(1)); }),
      several("sort", x, [](auto& t) { return both(t.sort(-1)); }),
      several("sort.stable", x, [](auto& t) { return both(t.sort(true, 0, true)); }),
      several("topk", x, [](auto& t) { return both(t.topk(3, 0)); }),
      several("var_mean", x, [](auto& t) { return both(at::var_mean(t, at::IntArrayRef(1), 1)); }),
      several("std_mean", x, [](auto& t) { return both(at::std_mean(t, at::IntArrayRef(0), 1)); }),
      sampleOf("argsort", x, [](auto& t) { return t.argsort(/*dim=*/0, /*descending=*/true); }),
      sampleOf("nanmedian", x, [](auto& t) { return t.nanmedian(); }),
  };
}

// Operators with two extremes, traces, slices and distances, and an `out` argument.
std::vector<Sample> others() {
  const auto x = wholeNumbers({5, 4});
  std::vector<Sample> all = {
      several("aminmax", x, [](auto& t) { return both(at::aminmax(t)); }),
      several("aminmax over 0", x, [](auto& t) { return both(at::aminmax(t, 0, true)); }),
      several("aminmax of few", wholeNumbers({2}), [](auto& t) { return both(at::aminmax(t)); }),
      sampleOf("trace", x, [](auto& t) { return t.trace(); }),
      sampleOf("trace of int32", wholeNumbers({4, 5}).to(at::kInt),
               [](auto& t) { return t.trace(); }),
      sampleOf("renorm", x, [](auto& t) { return at::renorm(t, 2, 1, 100); }),
      sampleOf("sum.IntList_out", x, wholeNumbers({4}, 1),
               [](auto& t, auto& out) {
                 at::Tensor written = out;
                 return at::sum_out(written, t, {0});
               }),
  };
  for (const double p : {0., 1., 2., kInf}) {
    all.push_back(sampleOf("dist " + std::to_string(p), x, wholeNumbers({4}, 1),
                           [p](auto& t, auto& u) { return at::dist(t, u, p); }));
  }
  return all;
}

std::vector<Sample> scans() {
  const auto x = wholeNumbers({5, 4});
  const auto y = wholeNumbers({5, 4}, 1);
  return {
      sampleOf("cumsum", x, [](auto& t) { return t.cumsum(0); }),
      sampleOf("cumsum.1", x, [](auto& t) { return t.cumsum(-1); }),
      sampleOf("cumprod", x.div(24), [](auto& t) { return t.cumprod(1); }),
      sampleOf("logcumsumexp", x.div(100), [](auto& t) { return t.logcumsumexp(0); }),
      sampleOf("softmax", x.div(100), [](auto& t) { return t.softmax(0); }),
      sampleOf("log_softmax", x.div(100), [](auto& t) { return t.log_softmax(-1); }),
      sampleOf("_softmax_backward_data", x.div(100), y.div(100),
               [](auto& a, auto& b) { return at::_softmax_backward_data(a, b, 0, at::kFloat); }),
      sampleOf(
          "_log_softmax_backward_data", x.div(100), y.div(100),
          [](auto& a, auto& b) { return at::_log_softmax_backward_data(a, b, 1, at::kFloat); }),
  };
}

std::vector<Sample> lists() {
  const auto x = wholeNumbers({5, 4});
  const auto y = wholeNumbers({7}, 1);
  std::vector<Sample> all;
  for (const double order : {1., 2., kInf}) {
    all.push_back({"_foreach_norm.Scalar " + std::to_string(order), {x, y}, [=](const Tensors& t) {
                     return at::_foreach_norm(t, order);
                   }});
  }
  all.push_back({"_foreach_max", {x, y}, [](const Tensors& t) { return at::_foreach_max(t); }});
  all.push_back({"_foreach_powsum.Scalar", {x, y}, [](const Tensors& t) {
                   return at::_foreach_powsum(t, 2);
                 }});
  return all;
}

}  // namespace

std::vector<Sample> reductionSamples() {
  std::vector<Sample> all;
  for (const auto group : {folds, otherTypes, withIndices, others, scans, lists}) {
    for (auto& sample : group()) {
      sample.match = Sample::Match::Near;
      all.push_back(std::move(sample));
    }
  }
  return all;
}

}  // namespace shardlens
