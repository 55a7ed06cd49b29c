#include "tests/comm/nccl/fake_reduce.h"

#include "kernels/float16.h"

#include <algorithm>
#include <cstring>

namespace shardlens {
namespace {

// Calls f with a value of the C++ type for `type`.
template <class F>
auto withType(ncclDataType_t type, F f) {
  switch (type) {
    case ncclInt8:
      return f(std::int8_t{});
    case ncclUint8:
      return f(std::uint8_t{});
    case ncclInt32:
      return f(std::int32_t{});
    case ncclUint32:
      return f(std::uint32_t{});
    case ncclInt64:
      return f(std::int64_t{});
    case ncclUint64:
      return f(std::uint64_t{});
    case ncclFloat16:
      return f(kernels::Float16{});
    case ncclBfloat16:
      return f(kernels::BFloat16{});
    case ncclFloat32:
      return f(float{});
    default:
      return f(double{});
  }
}

template <class T>
T narrowed(double value) {
  if constexpr (sizeof(T) == 2) {
    return T::from(static_cast<float>(value));
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::int64_t>(value));
  } else {
    return static_cast<T>(value);
  }
}

double combined(double one, double other, ncclRedOp_t op) {
  switch (op) {
    case ncclProd:
      return one * other;
    case ncclMin:
      return std::min(one, other);
    case ncclMax:
      return std::max(one, other);
    default:
      return one + other;
  }
}

}  // namespace

std::size_t fakeSizeOf(ncclDataType_t type) {
  return withType(type, [](auto element) { return sizeof element; });
}

std::string fakeTypeName(ncclDataType_t type) {
  static const std::vector<std::string> kNames = {"int8",    "uint8",   "int32",   "uint32",
                                                  "int64",   "uint64",  "float16", "float32",
                                                  "float64", "bfloat16"};
  return kNames.at(static_cast<std::size_t>(type));
}

std::string fakeOpName(ncclRedOp_t op) {
  static const std::vector<std::string> kNames = {"sum", "product", "max", "min", "avg"};
  return op < ncclNumOps ? kNames[static_cast<std::size_t>(op)] : "premul_sum";
}

double fakeLoad(const void* data, std::size_t i, ncclDataType_t type) {
  return withType(type, [&](auto element) {
    std::memcpy(&element, static_cast<const char*>(data) + i * sizeof element, sizeof element);
    if constexpr (sizeof element == 2) {
      return static_cast<double>(static_cast<float>(element));
    } else {
      return static_cast<double>(element);
    }
  });
}

std::vector<char> fakeReduce(const std::vector<FakeTerm>& terms, std::size_t items,
                             ncclDataType_t type, ncclRedOp_t op) {
  return withType(type, [&](auto element) {
    using Element = decltype(element);
    std::vector<char> bytes(items * sizeof(Element));
    for (std::size_t i = 0; i < items; ++i) {
      double value = terms.front().factor * fakeLoad(terms.front().data, i, type);
      for (std::size_t k = 1; k < terms.size(); ++k) {
        value = combined(value, terms[k].factor * fakeLoad(terms[k].data, i, type), op);
      }
      if (op == ncclAvg) value /= static_cast<double>(terms.size());
      const auto stored = narrowed<Element>(value);
      std::memcpy(bytes.data() + i * sizeof(Element), &stored, sizeof(Element));
    }
    return bytes;
  });
}

}  // namespace shardlens
