#include "core/session/result_json.h"

#include "core/base/text.h"
#include "core/tensor/dtensor.h"

#include <ATen/ATen.h>
#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

namespace shardlens {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDigits = 8;

// Rounds to eight significant digits, so that answers can be compared.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 40> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value,
                                     std::chars_format::general, kDigits);
  double rounded = 0;
  std::from_chars(text.data(), written.ptr, rounded);
  return rounded;
}

std::string textOf(c10::complex<double> value) {
  const auto part = [](double number) {
    return std::isnan(number) ? "nan" : fmt::format("{:.{}g}", number, kDigits);
  };
  return complexText(part(value.real()), part(value.imag()));
}

Json numbers(const at::Tensor& tensor) {
  Json::array_t list;
  list.reserve(static_cast<std::size_t>(tensor.numel()));
  const auto plain = tensor.detach().to(at::kCPU).reshape({-1});
  if (at::isComplexType(plain.scalar_type())) {
    const auto values = plain.to(at::kComplexDouble).contiguous();
    const auto* data = values.const_data_ptr<c10::complex<double>>();
    for (std::int64_t i = 0; i < values.numel(); ++i) list.push_back(textOf(data[i]));
    return list;
  }
  if (at::isFloatingType(plain.scalar_type())) {
    const auto values = plain.to(at::kDouble).contiguous();
    const auto* data = values.const_data_ptr<double>();
    for (std::int64_t i = 0; i < values.numel(); ++i) list.push_back(number(data[i]));
    return list;
  }
  const bool isBool = plain.scalar_type() == at::kBool;
  const auto values = plain.to(at::kLong).contiguous();
  const auto* data = values.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    list.push_back(isBool ? Json(data[i] != 0) : Json(data[i]));
  }
  return list;
}

}  // namespace

Json describeResult(const at::Tensor& tensor, const std::vector<int>& hosted) {
  const auto& impl = dtensorImpl(tensor);
  Json result;
  result["shape"] = impl.spec().meta.shape;
  result["dtype"] = dtypeName(impl.spec().meta.dtype);
  result["placements"] = Json::array();
  for (const auto& placement : impl.spec().placements) {
    result["placements"].push_back(toText(placement));
  }
  result["locals"] = Json::array();
  const Buffers locals = impl.readLocals();
  auto local = locals.begin();
  for (const int rank : hosted) {
    const bool holds = impl.spec().mesh->has(rank);
    auto& shown = result["locals"].emplace_back(
        Json{{"rank", rank}, {"shape", holds ? local->sizes().vec() : Shape{0}}});
    if (!holds || !local->is_meta()) shown["data"] = holds ? numbers(*local) : Json::array();
    if (holds) ++local;
  }
  return result;
}

}  // namespace shardlens
