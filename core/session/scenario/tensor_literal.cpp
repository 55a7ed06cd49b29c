#include "core/session/scenario/tensor_literal.h"

#include "core/base/json_text.h"
#include "core/base/refusal.h"
#include "core/memory/dtypes.h"
#include "core/model/spec.h"
#include "core/session/scenario/json_number.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardlens {
namespace {

using nlohmann::json;

// Nested lists of numbers, read into a flat list and a shape. Integers are kept exactly.
class NestedData {
 public:
  explicit NestedData(const json& data) {
    for (const json* level = &data; level->is_array(); level = &level->front()) {
      shape_.push_back(static_cast<std::int64_t>(level->size()));
      if (level->empty()) break;
    }
    read(data, 0);
  }

  at::Tensor tensor(at::ScalarType dtype) const {
    if (complex_) {
      if (!at::isComplexType(dtype)) {
        throw Refusal("data: got a complex number, expected numbers that " +
                      std::string(dtypeName(dtypeOf(dtype))) + " holds");
      }
      return at::tensor(numbers_, at::kComplexDouble).to(dtype).reshape(shape_);
    }
    if (!whole_) {
      return at::real(at::tensor(numbers_, at::kComplexDouble)).to(dtype).reshape(shape_);
    }
    const auto wide = at::tensor(integers_, at::kLong);
    auto values = wide.to(dtype);
    const bool integral = at::isIntegralType(dtype, /*includeBool=*/false);
    if (integral && !at::equal(values.to(at::kLong), wide)) {
      throw Refusal("data: got a number that " + std::string(dtypeName(dtypeOf(dtype))) +
                    " does not hold");
    }
    return values.reshape(shape_);
  }

 private:
  void read(const json& data, std::size_t depth) {
    if (depth < shape_.size()) {
      if (!data.is_array() || static_cast<std::int64_t>(data.size()) != shape_[depth]) {
        throw Refusal("data: got lists of different lengths, expected " + toText(shape_));
      }
      for (const auto& item : data) read(item, depth + 1);
      return;
    }
    numbers_.push_back(number(data));
    whole_ = whole_ && (data.is_number_integer() || data.is_boolean());
    if (!whole_) return;
    if (data.is_number() && !isInt64(data)) {
      throw Refusal("data: got " + shown(data) + ", expected a number that int64 holds");
    }
    integers_.push_back(data.is_boolean() ? data.get<bool>() : data.get<std::int64_t>());
  }

  c10::complex<double> number(const json& item) {
    if (item.is_boolean()) return item.get<bool>() ? 1 : 0;
    if (const auto number = jsonNumber(item)) return *number;
    if (const auto number = jsonComplex(item)) {
      complex_ = true;
      return *number;
    }
    throw Refusal("data: got " + shown(item) + ", expected a number");
  }

  Shape shape_;
  std::vector<c10::complex<double>> numbers_;
  std::vector<std::int64_t> integers_;
  bool whole_ = true;     // all are integers or bools
  bool complex_ = false;  // at least one is complex
};

// Returns an integer key, or `otherwise` if missing.
std::int64_t integerOf(const json& spec, const char* key, std::int64_t otherwise) {
  const auto it = spec.find(key);
  if (it == spec.end()) return otherwise;
  if (!isInt64(*it)) {
    throw Refusal(std::string(key) + ": got " + shown(*it) + ", expected a whole number");
  }
  return it->get<std::int64_t>();
}

at::Tensor filled(const json& spec, at::ScalarType dtype, Data data) {
  const auto kind = spec.at("fill").is_string() ? spec.at("fill").get<std::string>() : "";
  if (!spec.contains("shape")) throw Refusal("fill: got no shape, expected one");
  const auto shape = readShape(spec.at("shape"));
  auto generator =
      at::detail::createCPUGenerator(static_cast<std::uint64_t>(integerOf(spec, "seed", 0)));
  const auto options = at::TensorOptions().dtype(dtype);
  constexpr std::string_view kKinds[] = {"randn", "rand", "randint", "arange", "full"};
  if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds)) {
    throw Refusal("fill: got " + shown(spec.at("fill")) +
                  ", expected randn, rand, randint, arange or full");
  }
  if (kind == "randint" && !spec.contains("high")) {
    throw Refusal("randint: got no high, expected one");
  }
  if (kind == "full" && !spec.contains("value")) {
    throw Refusal("full: got no value, expected one");
  }
  if (data == Data::LeftOut) return at::empty(shape, options.device(at::kMeta));
  if (kind == "randn") return at::randn(shape, generator, options);
  if (kind == "rand") return at::rand(shape, generator, options);
  if (kind == "arange") return at::arange(elementCount(shape), options).reshape(shape);
  if (kind == "randint") {
    return at::randint(integerOf(spec, "low", 0), integerOf(spec, "high", 0), shape, generator,
                       options);
  }
  return NestedData(spec.at("value")).tensor(dtype).expand(shape).contiguous();
}

}  // namespace

at::ScalarType readDType(const json& name) {
  const auto dtype = name.is_string() ? parseDType(name.get<std::string>()) : std::nullopt;
  if (!dtype) throw Refusal("dtype: got " + shown(name) + ", expected one like float32 or int64");
  return scalarType(*dtype);
}

std::vector<std::int64_t> readShape(const json& shape) {
  const auto refused = [&] {
    return Refusal("shape: got " + shown(shape) + ", expected a list of sizes");
  };
  if (!shape.is_array()) throw refused();
  std::vector<std::int64_t> sizes;
  for (const auto& size : shape) {
    if (!isInt64(size) || size < 0) throw refused();
    sizes.push_back(size.get<std::int64_t>());
  }
  return sizes;
}

at::Tensor makeDense(const json& spec, Data data) {
  if (!spec.is_object()) throw Refusal("got " + shown(spec) + ", expected data or a fill");
  const auto dtype = spec.contains("dtype") ? readDType(spec.at("dtype")) : at::kFloat;
  if (spec.contains("fill")) return filled(spec, dtype, data);
  if (!spec.contains("data")) throw Refusal("got neither data nor fill, expected one of them");
  auto tensor = NestedData(spec.at("data")).tensor(dtype);
  if (data == Data::LeftOut) tensor = tensor.to(at::kMeta);
  if (!spec.contains("shape")) return tensor;
  const auto shape = readShape(spec.at("shape"));
  if (elementCount(shape) != tensor.numel()) {
    throw Refusal(fmt::format("data: got {} elements, expected {} for shape {}", tensor.numel(),
                              elementCount(shape), toText(shape)));
  }
  return tensor.reshape(shape);
}

}  // namespace shardlens
