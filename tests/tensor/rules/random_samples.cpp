#include "tests/tensor/rules/samples.h"

namespace shardlens {
namespace {

using Draw = std::function<at::Tensor(const at::Tensor&)>;

Sample seeded(std::string name, at::Tensor a, Draw draw) {
  return sampleOf(std::move(name), std::move(a), [draw = std::move(draw)](auto& x) {
    at::manual_seed(5);
    return draw(x);
  });
}

// Adds an operator on few and on more numbers, because libtorch may draw these differently. With
// partial inputs the result is exact only up to rounding.
void addInPlace(std::vector<Sample>& samples, const std::string& name, Draw draw) {
  for (const std::int64_t rows : {3, 5}) {
    auto exact = seeded(name + " " + std::to_string(rows), wholeNumbers({rows, 4}), draw);
    exact.terms = Sample::Terms::None;
    samples.push_back(std::move(exact));
  }
  auto terms = seeded(name + " terms", wholeNumbers({5, 4}), draw);
  terms.match = Sample::Match::Near;
  samples.push_back(std::move(terms));
}

}  // namespace

std::vector<Sample> randomSamples() {
  const auto x = wholeNumbers({5, 4});
  const auto chances = wholeNumbers({5, 4}).add(72).div(144);
  std::vector<Sample> samples;
  addInPlace(samples, "normal_", [](auto& t) { return t.normal_(1, 2); });
  addInPlace(samples, "uniform_", [](auto& t) { return t.uniform_(-1, 3); });
  addInPlace(samples, "exponential_", [](auto& t) { return t.exponential_(2); });
  addInPlace(samples, "cauchy_", [](auto& t) { return t.cauchy_(); });
  addInPlace(samples, "log_normal_", [](auto& t) { return t.log_normal_(); });
  addInPlace(samples, "geometric_", [](auto& t) { return t.geometric_(0.3); });
  addInPlace(samples, "bernoulli_.float", [](auto& t) { return t.bernoulli_(0.3); });
  addInPlace(samples, "random_", [](auto& t) { return t.random_(); });
  addInPlace(samples, "random_.to", [](auto& t) { return t.random_(9); });
  addInPlace(samples, "random_.from", [](auto& t) { return t.random_(3, 9); });
  const std::vector<Sample> others = {
      seeded("rand_like", x, [](auto& t) { return at::rand_like(t); }),
      seeded("randn_like", x, [](auto& t) { return at::randn_like(t); }),
      seeded("randint_like", x, [](auto& t) { return at::randint_like(t, 9); }),
      seeded("randint_like.low_dtype", x, [](auto& t) { return at::randint_like(t, 3, 9); }),
      seeded("bernoulli", chances, [](auto& t) { return at::bernoulli(t); }),
      seeded("bernoulli double", chances.to(at::kDouble), [](auto& t) { return at::bernoulli(t); }),
      seeded("bernoulli.p", x, [](auto& t) { return at::bernoulli(t, 0.3); }),
      seeded("dropout", x, [](auto& t) { return at::dropout(t, 0.5, true); }),
      seeded("native_dropout", x,
             [](auto& t) { return std::get<0>(at::native_dropout(t, 0.5, true)); }),
      seeded("native_dropout mask", x,
             [](auto& t) { return std::get<1>(at::native_dropout(t, 0.5, true)); }),
      seeded("native_dropout idle", x,
             [](auto& t) { return std::get<0>(at::native_dropout(t, 0.5, false)); }),
      seeded("multinomial", chances, [](auto& t) { return at::multinomial(t, 3); }),
      seeded("multinomial of a row", chances[0],
             [](auto& t) { return at::multinomial(t, 9, /*replacement=*/true); }),
      seeded("normal.Tensor_float", x, [](auto& t) { return at::normal(t, 0.5); }),
      seeded("normal.float_Tensor", chances, [](auto& t) { return at::normal(2., t); }),
      sampleOf("normal.Tensor_Tensor", x, chances,
               [](auto& mean, auto& deviation) {
                 at::manual_seed(5);
                 return at::normal(mean, deviation);
               }),
      sampleOf("normal.Tensor_Tensor a row", x, chances[0],
               [](auto& mean, auto& deviation) {
                 at::manual_seed(5);
                 return at::normal(mean, deviation);
               }),
      sampleOf("bernoulli_.Tensor", x, chances,
               [](auto& t, auto& p) {
                 at::manual_seed(5);
                 return t.bernoulli_(p);
               }),
      sampleOf("bernoulli_.Tensor a row", x, chances[0],
               [](auto& t, auto& p) {
                 at::manual_seed(5);
                 return t.bernoulli_(p);
               }),
  };
  samples.insert(samples.end(), others.begin(), others.end());
  return samples;
}

}  // namespace shardlens
