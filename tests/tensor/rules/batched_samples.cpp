#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

using Tensor = at::Tensor;
using Tensors = Sample::Tensors;

template <class... Results>
Tensors listOf(const std::tuple<Results...>& results) {
  return std::apply([](const auto&... each) { return Tensors{each...}; }, results);
}

// Returns lower triangular matrices that are far from singular.
Tensor matrices(at::IntArrayRef shape, int seed = 0) {
  const auto x = wholeNumbers(shape, seed).div(72);
  return x.tril().add(at::eye(shape[shape.size() - 1]).mul(4));
}

Sample several(std::string name, Tensors tensors, std::function<Tensors(const Tensors&)> call) {
  return {std::move(name), std::move(tensors), std::move(call), Sample::Terms::Tried,
          Sample::Match::Near};
}

Sample one(std::string name, Tensors tensors, std::function<Tensor(const Tensors&)> call) {
  auto sample = sampleOf(std::move(name), std::move(tensors), std::move(call));
  sample.match = Sample::Match::Near;
  return sample;
}

std::vector<Sample> decompositions() {
  const auto a = matrices({5, 3, 3});
  const auto symmetric = at::matmul(a, a.mT());
  const auto factors = std::get<0>(at::linalg_lu_factor(a));
  const auto pivots = std::get<1>(at::linalg_lu_factor(a));
  const auto wide = wholeNumbers({5, 3, 2}, 1).div(72).add(at::eye(3, 2));
  return {
      several("_linalg_det", {a}, [](auto& t) { return listOf(at::_linalg_det(t[0])); }),
      several("_linalg_slogdet", {a}, [](auto& t) { return listOf(at::_linalg_slogdet(t[0])); }),
      several("linalg_inv_ex", {a}, [](auto& t) { return listOf(at::linalg_inv_ex(t[0])); }),
      one("linalg_inv of one", {a.select(0, 1).contiguous()},
          [](auto& t) { return at::linalg_inv(t[0]); }),
      several("linalg_cholesky_ex", {symmetric},
              [](auto& t) { return listOf(at::linalg_cholesky_ex(t[0])); }),
      one("cholesky_inverse", {a}, [](auto& t) { return at::cholesky_inverse(t[0]); }),
      several("_linalg_eigh without vectors", {symmetric},
              [](auto& t) { return Tensors{at::linalg_eigvalsh(t[0])}; }),
      one("_linalg_svd without vectors", {wide}, [](auto& t) { return at::linalg_svdvals(t[0]); }),
      one("_linalg_svd", {wide},
          [](auto& t) {
            const auto [u, s, vh] = at::_linalg_svd(t[0], false, true);
            return at::matmul(u * s.unsqueeze(-2), vh);
          }),
      several("linalg_qr", {wide}, [](auto& t) { return listOf(at::linalg_qr(t[0])); }),
      several("geqrf", {wide}, [](auto& t) { return listOf(at::geqrf(t[0])); }),
      several("linalg_lu_factor_ex", {a},
              [](auto& t) { return listOf(at::linalg_lu_factor_ex(t[0])); }),
      several("linalg_lu", {wide}, [](auto& t) { return listOf(at::linalg_lu(t[0])); }),
      several("lu_unpack", {factors, pivots},
              [](auto& t) { return listOf(at::lu_unpack(t[0], t[1])); }),
      several("linalg_ldl_factor_ex", {symmetric},
              [](auto& t) { return listOf(at::linalg_ldl_factor_ex(t[0])); }),
      one("linalg_matrix_exp", {a.div(4)}, [](auto& t) { return at::linalg_matrix_exp(t[0]); }),
      one("linalg_pinv", {wide}, [](auto& t) { return at::linalg_pinv(t[0]); }),
  };
}

std::vector<Sample> solutions() {
  const auto a = matrices({5, 3, 3});
  const auto b = wholeNumbers({5, 3, 2}, 1);
  const auto solve = [](auto& t) { return at::linalg_solve(t[0], t[1]); };
  return {
      one("linalg_solve", {a, b}, solve),
      one("linalg_solve of vectors", {a, wholeNumbers({5, 3}, 1)}, solve),
      one("linalg_solve of one vector", {a, wholeNumbers({3}, 1)}, solve),
      // Half of the matrices would take the right-hand side for three vectors.
      one("linalg_solve that looks like vectors", {matrices({6, 3, 3}), wholeNumbers({3, 3}, 1)},
          solve),
      one("linalg_solve_triangular stretched", {a, b.select(0, 0).contiguous()},
          [](auto& t) { return at::linalg_solve_triangular(t[0], t[1], /*upper=*/false); }),
      one("cholesky_solve", {b, a}, [](auto& t) { return at::cholesky_solve(t[0], t[1]); }),
      several("triangular_solve", {b, a},
              [](auto& t) { return listOf(at::triangular_solve(t[0], t[1], /*upper=*/false)); }),
  };
}

std::vector<Sample> distances() {
  const auto a = wholeNumbers({3, 5, 2}), b = wholeNumbers({4, 2}, 1);
  return {
      one("_cdist_forward", {a, b}, [](auto& t) { return at::_cdist_forward(t[0], t[1], 1, {}); }),
      one("_euclidean_dist", {a.select(0, 1).contiguous(), b},
          [](auto& t) { return at::_euclidean_dist(t[0], t[1]); }),
      one("pdist", {b}, [](auto& t) { return at::pdist(t[0]); }),
      one("linalg_cross", {wholeNumbers({5, 3, 2}), wholeNumbers({3, 1}, 1).expand({3, 2})},
          [](auto& t) { return at::linalg_cross(t[0], t[1].unsqueeze(0), 1); }),
  };
}

}  // namespace

std::vector<Sample> batchedSamples() {
  std::vector<Sample> all;
  for (const auto group : {decompositions, solutions, distances}) {
    for (auto& sample : group()) all.push_back(std::move(sample));
  }
  return all;
}

}  // namespace shardlens
