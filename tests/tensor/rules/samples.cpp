#include "tests/tensor/rules/samples.h"

namespace shardlens {

at::Tensor wholeNumbers(at::IntArrayRef shape, int seed) {
  std::int64_t count = 1;
  for (const auto size : shape) count *= size;
  return at::arange(count)
      .mul(7)
      .add(5 * seed)
      .remainder(13)
      .sub(6)
      .mul(12)
      .to(at::kFloat)
      .reshape(shape);
}

Sample sampleOf(std::string name, at::Tensor a, std::function<at::Tensor(const at::Tensor&)> call) {
  return {std::move(name), {std::move(a)}, [call = std::move(call)](const Sample::Tensors& t) {
            return Sample::Tensors{call(t[0])};
          }};
}

Sample sampleOf(std::string name, at::Tensor a, at::Tensor b,
                std::function<at::Tensor(const at::Tensor&, const at::Tensor&)> call) {
  return {std::move(name),
          {std::move(a), std::move(b)},
          [call = std::move(call)](const Sample::Tensors& t) {
            return Sample::Tensors{call(t[0], t[1])};
          }};
}

}  // namespace shardlens
