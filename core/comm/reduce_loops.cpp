#include "core/comm/reduce_loops.h"

#include <ATen/ATen.h>

#include <type_traits>

namespace shardlens {
namespace {

template <class T>
constexpr bool kIsComplex = c10::is_complex<T>::value;
template <class T>
constexpr bool kIsSmallFloat = std::is_same_v<T, at::Half> || std::is_same_v<T, at::BFloat16>;

// Whole numbers wrap around, which only unsigned ones may in C++.
template <class T>
auto wrapping(T value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<std::make_unsigned_t<T>>(value);
  } else if constexpr (kIsSmallFloat<T>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

// A sum of truths is whether there is any, a product whether all are.
struct Sum {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) return a | b;
    return static_cast<T>(wrapping(a) + wrapping(b));
  }
};
struct Product {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) return a & b;
    // Short numbers would be multiplied as ints, which may overflow.
    if constexpr (std::is_same_v<T, std::int16_t>) return static_cast<T>(1U * a * b);
    return static_cast<T>(wrapping(a) * wrapping(b));
  }
};
// What is not a number wins, as in torch.
struct Min {
  template <class T>
  static T of(T a, T b) {
    return a < b || a != a ? a : b;
  }
};
struct Max {
  template <class T>
  static T of(T a, T b) {
    return a > b || a != a ? a : b;
  }
};
struct Band {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Bor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Bxor {
  template <class T>
  static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

template <class T, class Op>
void combine(void* __restrict result, const void* __restrict accumulator,
             const void* __restrict term, std::int64_t count, double) {
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<T*>(result)[i] =
        Op::of(static_cast<const T*>(accumulator)[i], static_cast<const T*>(term)[i]);
  }
}

template <class T, class Op>
ReduceLoops plain() {
  return {sizeof(T), nullptr, combine<T, Op>, nullptr};
}

// A factor in the type that torch multiplies elements in.
template <class T>
auto factorFor(double factor) {
  if constexpr (kIsComplex<T>) {
    return static_cast<typename T::value_type>(factor);
  } else {
    return static_cast<decltype(wrapping(T()))>(factor);
  }
}

template <class T>
void scale(void* __restrict result, const void* __restrict term, std::int64_t count,
           double factor) {
  const auto by = factorFor<T>(factor);
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<T*>(result)[i] = static_cast<T>(wrapping(static_cast<const T*>(term)[i]) * by);
  }
}

template <class T>
void addScaled(void* __restrict result, const void* __restrict accumulator,
               const void* __restrict term, std::int64_t count, double factor) {
  const auto by = factorFor<T>(factor);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto scaled = static_cast<T>(wrapping(static_cast<const T*>(term)[i]) * by);
    static_cast<T*>(result)[i] = Sum::of(static_cast<const T*>(accumulator)[i], scaled);
  }
}

template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, std::int64_t, decltype(wrapping(T()))>;

template <class T>
void widen(void* __restrict result, const void* __restrict term, std::int64_t count, double) {
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<Wide<T>*>(result)[i] = static_cast<Wide<T>>(static_cast<const T*>(term)[i]);
  }
}

template <class T>
void addWide(void* __restrict result, const void* __restrict accumulator,
             const void* __restrict term, std::int64_t count, double) {
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<Wide<T>*>(result)[i] =
        Sum::of(static_cast<const Wide<T>*>(accumulator)[i],
                static_cast<Wide<T>>(static_cast<const T*>(term)[i]));
  }
}

template <class T>
void divide(void* __restrict result, const void* __restrict accumulator, std::int64_t count,
            std::int64_t terms) {
  const auto by = static_cast<Wide<T>>(terms);
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<T*>(result)[i] = static_cast<T>(static_cast<const Wide<T>*>(accumulator)[i] / by);
  }
}

template <class T>
std::optional<ReduceLoops> loopsOf(ReduceOp op) {
  switch (op) {
    case ReduceOp::Sum:
      return plain<T, Sum>();
    case ReduceOp::Product:
      return plain<T, Product>();
    case ReduceOp::Avg:
      return ReduceLoops{sizeof(Wide<T>), widen<T>, addWide<T>, divide<T>};
    case ReduceOp::PremulSum:
      if constexpr (std::is_integral_v<T>)
        return std::nullopt;
      else
        return ReduceLoops{sizeof(T), scale<T>, addScaled<T>, nullptr};
    case ReduceOp::Min:
      if constexpr (kIsComplex<T>)
        return std::nullopt;
      else
        return plain<T, Min>();
    case ReduceOp::Max:
      if constexpr (kIsComplex<T>)
        return std::nullopt;
      else
        return plain<T, Max>();
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == ReduceOp::Band) return plain<T, Band>();
    return op == ReduceOp::Bor ? plain<T, Bor>() : plain<T, Bxor>();
  }
  return std::nullopt;
}

}  // namespace

std::optional<ReduceLoops> reduceLoops(at::ScalarType type, Reduction reduction) {
  switch (type) {
#define SHARDLENS_CASE(Type, name) \
  case at::k##name:                \
    return loopsOf<Type>(reduction.op);
    SHARDLENS_CASE(float, Float)
    SHARDLENS_CASE(double, Double)
    SHARDLENS_CASE(at::Half, Half)
    SHARDLENS_CASE(at::BFloat16, BFloat16)
    SHARDLENS_CASE(c10::complex<float>, ComplexFloat)
    SHARDLENS_CASE(c10::complex<double>, ComplexDouble)
    SHARDLENS_CASE(std::int64_t, Long)
    SHARDLENS_CASE(std::int32_t, Int)
    SHARDLENS_CASE(std::int16_t, Short)
    SHARDLENS_CASE(std::int8_t, Char)
    SHARDLENS_CASE(std::uint8_t, Byte)
    SHARDLENS_CASE(bool, Bool)
#undef SHARDLENS_CASE
    default:
      return std::nullopt;
  }
}

}  // namespace shardlens
