#pragma once

#include "kernels/cuda/grid.h"
#include "kernels/cuda/reduce.h"
#include "kernels/cuda/word.h"
#include "kernels/folds.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace shardlens::kernels::cuda {

// Note [Reductions]
// Each fold (operation and element type) has two kernels: ReducePacks for buffers at multiples of
// 16 bytes, and ReduceElements. A thread reduces one item of all addends, a pack of 16 bytes or one
// element, and writes it to each output; neighbouring threads have neighbouring items. A pack is
// loaded and stored by one instruction: stores of 2 bytes reach half of the memory's bandwidth.

// The arguments of one reduction kernel: contiguous addends and outputs.
template <class T>
struct Reductions {
  static constexpr int kMostAddends = 128;
  static constexpr int kMostOutputs = 128;
  static constexpr int kPack = 16 / sizeof(T);

  const T* addends[kMostAddends];
  T* outputs[kMostOutputs];
  int addendCount;
  int outputCount;
  std::int64_t begin;  // the first element of the kernel
  std::int64_t count;  // the number of elements of the buffers
  double factor;
};

// Reduces kCount elements from `at` on. Reads all addends before it writes, because an output may
// be one of them.
template <int kCount, class Fold, class T = typename Fold::Element>
SHARDLENS_HOST_DEVICE void reduceAt(const Reductions<T>& all, const Fold& fold, std::int64_t at) {
  using Some = Pack<T, kCount>;
  typename Fold::Accumulator sum[kCount];
  const Some first = *reinterpret_cast<const Some*>(all.addends[0] + at);
  SHARDLENS_UNROLLED
  for (int e = 0; e < kCount; ++e) sum[e] = fold.start(first.element[e]);
  SHARDLENS_UNROLLED_BY_4
  for (int a = 1; a < all.addendCount; ++a) {
    const Some addend = *reinterpret_cast<const Some*>(all.addends[a] + at);
    SHARDLENS_UNROLLED
    for (int e = 0; e < kCount; ++e) sum[e] = fold.add(sum[e], addend.element[e]);
  }
  Some result;
  SHARDLENS_UNROLLED
  for (int e = 0; e < kCount; ++e) result.element[e] = fold.finish(sum[e]);
  for (int o = 0; o < all.outputCount; ++o) {
    writePack(reinterpret_cast<Some*>(all.outputs[o] + at), result);
  }
}

// See Note [Bodies of kernels]. Reduces kCount elements per item, from `begin` on. The elements
// after the last complete item are left to another kernel.
template <class Fold, int kCount>
SHARDLENS_HOST_DEVICE void reduceItems(const Place& at,
                                       const Reductions<typename Fold::Element>& all) {
  const Fold fold(all.factor, all.addendCount);
  const std::int64_t items = (all.count - all.begin) / kCount;
  for (std::int64_t item = firstItem(at); item < items; item += itemStride(at)) {
    reduceAt<kCount>(all, fold, all.begin + item * kCount);
  }
}

template <class Fold>
struct ReducePacks {
  Reductions<typename Fold::Element> all;
  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    reduceItems<Fold, Reductions<typename Fold::Element>::kPack>(at, all);
  }
};

template <class Fold>
struct ReduceElements {
  Reductions<typename Fold::Element> all;
  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const { reduceItems<Fold, 1>(at, all); }
};

inline void refuseReduction(const std::string& what) {
  throw std::runtime_error("reduction: " + what);
}

template <class T>
Reductions<T> reductionsOf(const TermsOnGpu& reduction, double factor) {
  Reductions<T> all{.addends = {},
                    .outputs = {},
                    .addendCount = 0,
                    .outputCount = 0,
                    .begin = 0,
                    .count = reduction.count,
                    .factor = factor};
  for (const void* addend : reduction.terms) {
    all.addends[all.addendCount++] = static_cast<const T*>(addend);
  }
  for (void* output : reduction.outputs) {
    all.outputs[all.outputCount++] = static_cast<T*>(output);
  }
  return all;
}

// Returns true if all buffers start at a multiple of 16 bytes.
inline bool areInPacks(const TermsOnGpu& reduction) {
  std::uint64_t bits = 0;
  for (const void* addend : reduction.terms) bits |= bitsOf(addend);
  for (const void* output : reduction.outputs) bits |= bitsOf(output);
  return bits % 16 == 0;
}

// Queues reduceTerms(). See StreamQueue for `queue`.
template <class Queue>
void reduceTermsOn(Queue& queue, const TermsOnGpu& reduction, ReduceOp op, double factor) {
  constexpr std::size_t kMost = Reductions<float>::kMostAddends;
  if (reduction.terms.empty() || reduction.terms.size() > kMost) {
    refuseReduction("got " + std::to_string(reduction.terms.size()) +
                    " addends, expected 1 to 128");
  }
  if (reduction.outputs.empty() || reduction.outputs.size() > kMost) {
    refuseReduction("got " + std::to_string(reduction.outputs.size()) +
                    " outputs, expected 1 to 128");
  }
  if (!isReducible(reduction.type, op))
    refuseReduction("got an operation that its type does not have");
  if (reduction.count == 0) return;
  withElements(reduction.type, [&]<class T>(Tag<T>) {
    auto all = reductionsOf<T>(reduction, factor);
    const std::int64_t packs = areInPacks(reduction) ? all.count / all.kPack : 0;
    withFold<T>(op, [&]<class Fold>(Tag<Fold>) {
      queue.launch(shapeFor(packs), ReducePacks<Fold>{all}, "reduction");
      all.begin = packs * all.kPack;
      queue.launch(shapeFor(all.count - all.begin), ReduceElements<Fold>{all}, "reduction");
    });
  });
}

}  // namespace shardlens::kernels::cuda
