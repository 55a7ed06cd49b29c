#pragma once

#include "kernels/arithmetic.h"
#include "kernels/reduce.h"

#include <cstdint>
#include <type_traits>

namespace shardlens::kernels {

// The arithmetic of reductions, element by element. A fold starts with the first addend, adds the
// others in order, and converts the accumulator to an element at the end. It is constructed with
// the factor of PremulSum and the number of addends. kStarts and kFinishes are false if start() and
// finish() return their argument, so that a loop may skip them.

// A complex number as torch stores it.
template <class T>
struct Complex {
  T real, imaginary;
};

// True for Complex<T>.
template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<Complex<T>> = true;

// Returns an integer as unsigned and a float widened. Signed overflow is undefined in C++; unsigned
// overflow wraps around.
template <class T>
SHARDLENS_HOST_DEVICE auto wrapping(T value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<std::make_unsigned_t<T>>(value);
  } else {
    return widened(value);
  }
}

// The sum of bools is their "or", the product their "and".
struct Sum {
  template <class T>
  SHARDLENS_HOST_DEVICE static T of(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a || b;
    } else if constexpr (kIsComplex<T>) {
      return {a.real + b.real, a.imaginary + b.imaginary};
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(wrapping(a) + wrapping(b));
    } else {
      return roundedSum(a, b);
    }
  }
};
struct Product {
  template <class T>
  SHARDLENS_HOST_DEVICE static T of(T a, T b) {
    if constexpr (std::is_same_v<T, bool>) {
      return a && b;
    } else if constexpr (kIsComplex<T>) {
      return {a.real * b.real - a.imaginary * b.imaginary,
              a.real * b.imaginary + a.imaginary * b.real};
    } else if constexpr (std::is_integral_v<T>) {
      // Short integers would be promoted to int, whose product may overflow.
      using Long = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
      return static_cast<T>(Long{wrapping(a)} * Long{wrapping(b)});
    } else {
      return narrowed<T>(widened(a) * widened(b));
    }
  }
};
// NaN wins, as in torch.
struct Min {
  template <class T>
  SHARDLENS_HOST_DEVICE static T of(T a, T b) {
    return widened(a) < widened(b) || widened(a) != widened(a) ? a : b;
  }
};
struct Max {
  template <class T>
  SHARDLENS_HOST_DEVICE static T of(T a, T b) {
    return widened(a) > widened(b) || widened(a) != widened(a) ? a : b;
  }
};
struct Band {
  template <class T>
  SHARDLENS_HOST_DEVICE static T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Bor {
  template <class T>
  SHARDLENS_HOST_DEVICE static T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Bxor {
  template <class T>
  SHARDLENS_HOST_DEVICE static T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

// A fold that applies Op to an accumulator of the element's type. Ignores factor and count.
template <class T, class Op>
struct PlainFold {
  using Element = T;
  using Accumulator = T;
  static constexpr bool kStarts = false;
  static constexpr bool kFinishes = false;

  SHARDLENS_HOST_DEVICE PlainFold(double, std::int64_t) {}
  SHARDLENS_HOST_DEVICE T start(T addend) const { return addend; }
  SHARDLENS_HOST_DEVICE T add(T accumulator, T addend) const { return Op::of(accumulator, addend); }
  SHARDLENS_HOST_DEVICE T finish(T accumulator) const { return accumulator; }
};

// A sum of addends that are each multiplied by a factor first, in the type in which torch
// multiplies.
template <class T>
struct ScaledFold {
  using Element = T;
  using Accumulator = T;
  static constexpr bool kStarts = true;
  static constexpr bool kFinishes = false;

  SHARDLENS_HOST_DEVICE ScaledFold(double factor, std::int64_t) : by(static_cast<By>(factor)) {}
  SHARDLENS_HOST_DEVICE T start(T addend) const {
    if constexpr (kIsComplex<T>) {
      return {addend.real * by, addend.imaginary * by};
    } else {
      return narrowed<T>(widened(addend) * by);
    }
  }
  SHARDLENS_HOST_DEVICE T add(T accumulator, T addend) const {
    return Sum::of(accumulator, start(addend));
  }
  SHARDLENS_HOST_DEVICE T finish(T accumulator) const { return accumulator; }

 private:
  template <class U>
  struct ByOf {
    using type = Calculated<U>;
  };
  template <class U>
  struct ByOf<Complex<U>> {
    using type = U;
  };
  using By = typename ByOf<T>::type;
  By by;
};

// The mean. Integers are summed in int64 and 16-bit floats in float, so their sums do not overflow.
// Other types are summed in their own type. Integer division truncates.
template <class T>
struct MeanFold {
  using Element = T;
  using Accumulator = std::conditional_t<std::is_integral_v<T>, std::int64_t, Calculated<T>>;
  static constexpr bool kStarts = true;
  static constexpr bool kFinishes = true;

  SHARDLENS_HOST_DEVICE MeanFold(double, std::int64_t count) : addendCount(count) {}
  SHARDLENS_HOST_DEVICE Accumulator start(T addend) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<Accumulator>(addend);
    } else {
      return widened(addend);
    }
  }
  SHARDLENS_HOST_DEVICE Accumulator add(Accumulator accumulator, T addend) const {
    return Sum::of(accumulator, start(addend));
  }
  SHARDLENS_HOST_DEVICE T finish(Accumulator accumulator) const {
    if constexpr (kIsComplex<T>) {
      const auto by = static_cast<decltype(accumulator.real)>(addendCount);
      return {accumulator.real / by, accumulator.imaginary / by};
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(accumulator / addendCount);
    } else {
      return narrowed<T>(accumulator / static_cast<Accumulator>(addendCount));
    }
  }

 private:
  std::int64_t addendCount;
};

// Passes a type as a function argument.
template <class T>
struct Tag {
  using type = T;
};

// Calls f with the Tag of the fold of an operation. Returns false, without a call, if T has none.
template <class T, class F>
bool withFold(ReduceOp op, F f) {
  switch (op) {
    case ReduceOp::Sum:
      f(Tag<PlainFold<T, Sum>>{});
      return true;
    case ReduceOp::Product:
      f(Tag<PlainFold<T, Product>>{});
      return true;
    case ReduceOp::Avg:
      f(Tag<MeanFold<T>>{});
      return true;
    default:
      break;
  }
  if constexpr (!std::is_integral_v<T>) {
    if (op == ReduceOp::PremulSum) {
      f(Tag<ScaledFold<T>>{});
      return true;
    }
  }
  if constexpr (!kIsComplex<T>) {
    if (op == ReduceOp::Min) {
      f(Tag<PlainFold<T, Min>>{});
      return true;
    }
    if (op == ReduceOp::Max) {
      f(Tag<PlainFold<T, Max>>{});
      return true;
    }
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == ReduceOp::Band) {
      f(Tag<PlainFold<T, Band>>{});
      return true;
    }
    if (op == ReduceOp::Bor) {
      f(Tag<PlainFold<T, Bor>>{});
      return true;
    }
    if (op == ReduceOp::Bxor) {
      f(Tag<PlainFold<T, Bxor>>{});
      return true;
    }
  }
  return false;
}

// Calls f with the Tag of the C++ type of an element type.
template <class F>
auto withElements(ElementType type, F f) {
  switch (type) {
    case ElementType::Float16:
      return f(Tag<Float16>{});
    case ElementType::BFloat16:
      return f(Tag<BFloat16>{});
    case ElementType::Float32:
      return f(Tag<float>{});
    case ElementType::Float64:
      return f(Tag<double>{});
    case ElementType::Complex64:
      return f(Tag<Complex<float>>{});
    case ElementType::Complex128:
      return f(Tag<Complex<double>>{});
    case ElementType::Int64:
      return f(Tag<std::int64_t>{});
    case ElementType::Int32:
      return f(Tag<std::int32_t>{});
    case ElementType::Int16:
      return f(Tag<std::int16_t>{});
    case ElementType::Int8:
      return f(Tag<std::int8_t>{});
    case ElementType::UInt8:
      return f(Tag<std::uint8_t>{});
    default:
      return f(Tag<bool>{});
  }
}

}  // namespace shardlens::kernels
