#pragma once

#include "core/base/box.h"
#include "core/checkpoints/input/element_type.h"

#include <algorithm>
#include <cstring>

namespace shardlens {

// Calls visit(index, count) for runs of at most `most` elements along the last dimension that
// together are the box, in row-major order. Stops and returns false as soon as visit() does.
template <class Visit>
bool forEachRun(const Box& box, std::int64_t most, Visit visit) {
  if (volume(box) == 0) return true;
  Extents index = box.offsets;
  if (index.empty()) return visit(index, std::int64_t{1});
  const std::size_t last = index.size() - 1;
  const std::int64_t end = box.offsets[last] + box.sizes[last];
  for (;;) {
    for (index[last] = box.offsets[last]; index[last] < end;) {
      const std::int64_t count = std::min(most, end - index[last]);
      if (!visit(static_cast<const Extents&>(index), count)) return false;
      index[last] += count;
    }
    std::size_t dim = last;
    while (dim > 0 && ++index[dim - 1] == box.offsets[dim - 1] + box.sizes[dim - 1]) {
      index[dim - 1] = box.offsets[dim - 1];
      --dim;
    }
    if (dim == 0) return true;
  }
}

// Returns true if two elements have the same bits in one type, or the same value. NaN equals NaN,
// and 0 equals -0.
inline bool equalElements(const ElementType& typeA, const std::byte* a, const ElementType& typeB,
                          const std::byte* b) {
  if (&typeA == &typeB && std::memcmp(a, b, static_cast<std::size_t>(typeA.size)) == 0) return true;
  const ElementValue valueA = elementValue(typeA, a), valueB = elementValue(typeB, b);
  const auto isSame = [](long double x, long double y) { return x == y || (x != x && y != y); };
  return isSame(valueA.real(), valueB.real()) && isSame(valueA.imag(), valueB.imag());
}

// Calls differs(i) for the elements that are not equal. Fast where the bytes are.
template <class Differs>
void forEachDifference(const ElementType& typeA, const std::byte* a, const ElementType& typeB,
                       const std::byte* b, std::int64_t count, Differs differs) {
  const auto elements = static_cast<std::size_t>(count);
  const auto sizeA = static_cast<std::size_t>(typeA.size);
  const auto sizeB = static_cast<std::size_t>(typeB.size);
  if (&typeA == &typeB && std::memcmp(a, b, elements * sizeA) == 0) return;
  for (std::size_t i = 0; i < elements; ++i) {
    if (!equalElements(typeA, a + i * sizeA, typeB, b + i * sizeB)) {
      differs(static_cast<std::int64_t>(i));
    }
  }
}

}  // namespace shardlens
