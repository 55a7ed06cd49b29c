#pragma once

#include "kernels/cuda/grid.h"
#include "kernels/cuda/reduce.h"
#include "kernels/cuda/word.h"
#include "kernels/folds.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace shardlens::kernels::cuda {

// The arguments of one reduction kernel: contiguous addends (`terms`) and outputs.
template <class T>
struct Reductions {
  static constexpr int kMostTerms = 128;
  static constexpr int kMostOutputs = 128;
  static constexpr int kPack = 16 / sizeof(T);

  const T* terms[kMostTerms];
  T* outputs[kMostOutputs];
  int termCount;
  int outputCount;
  std::int64_t count;
  ReduceOp op;
  double factor;
  bool inPacks;  // all buffers start at a multiple of 16 bytes

  SHARDLENS_HOST_DEVICE std::int64_t packs() const { return inPacks ? count / kPack : 0; }
  std::int64_t items() const { return packs() + count - packs() * kPack; }
};

// Reduces kCount elements from `at` on. Reads all addends before it writes, because an output may
// be one of them.
template <int kCount, class Fold, class T = typename Fold::Element>
SHARDLENS_HOST_DEVICE void reduceAt(const Reductions<T>& all, const Fold& fold, std::int64_t at) {
  using Some = Pack<T, kCount>;
  typename Fold::Accumulator sum[kCount];
  const Some first = *reinterpret_cast<const Some*>(all.terms[0] + at);
  SHARDLENS_UNROLLED
  for (int e = 0; e < kCount; ++e) sum[e] = fold.start(first.element[e]);
  SHARDLENS_UNROLLED_BY_4
  for (int t = 1; t < all.termCount; ++t) {
    const Some term = *reinterpret_cast<const Some*>(all.terms[t] + at);
    SHARDLENS_UNROLLED
    for (int e = 0; e < kCount; ++e) sum[e] = fold.add(sum[e], term.element[e]);
  }
  Some result;
  SHARDLENS_UNROLLED
  for (int e = 0; e < kCount; ++e) result.element[e] = fold.finish(sum[e]);
  for (int o = 0; o < all.outputCount; ++o) *reinterpret_cast<Some*>(all.outputs[o] + at) = result;
}

// See Note [Bodies of kernels]. An item is a pack, or one of the elements after the last pack.
template <class T>
SHARDLENS_HOST_DEVICE void reduceItems(const Place& at, const Reductions<T>& all) {
  const std::int64_t packs = all.packs();
  const std::int64_t rest = packs * all.kPack;
  const std::int64_t items = packs + all.count - rest;
  withFold<T>(all.op, [&](auto tag) {
    const typename decltype(tag)::type fold(all.factor, all.termCount);
    for (std::int64_t item = firstItem(at); item < items; item += itemStride(at)) {
      if (item < packs) {
        reduceAt<Reductions<T>::kPack>(all, fold, item * all.kPack);
      } else {
        reduceAt<1>(all, fold, rest + item - packs);
      }
    }
  });
}

template <class T>
struct Reduce {
  Reductions<T> all;
  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const { reduceItems(at, all); }
};

inline void refuseReduction(const std::string& what) {
  throw std::runtime_error("reduction of terms: " + what);
}

template <class T>
Reductions<T> reductionsOf(const TermsOnGpu& reduction, ReduceOp op, double factor) {
  Reductions<T> all{.terms = {},
                    .outputs = {},
                    .termCount = 0,
                    .outputCount = 0,
                    .count = reduction.count,
                    .op = op,
                    .factor = factor,
                    .inPacks = true};
  std::uint64_t bits = 0;
  for (const void* term : reduction.terms) {
    all.terms[all.termCount++] = static_cast<const T*>(term);
    bits |= bitsOf(term);
  }
  for (void* output : reduction.outputs) {
    all.outputs[all.outputCount++] = static_cast<T*>(output);
    bits |= bitsOf(output);
  }
  all.inPacks = bits % 16 == 0;
  return all;
}

template <class Queue>
void reduceTermsOn(Queue& queue, const TermsOnGpu& reduction, ReduceOp op, double factor) {
  constexpr std::size_t kMost = Reductions<float>::kMostTerms;
  if (reduction.terms.empty() || reduction.terms.size() > kMost) {
    refuseReduction("got " + std::to_string(reduction.terms.size()) + " terms, expected 1 to 128");
  }
  if (reduction.outputs.empty() || reduction.outputs.size() > kMost) {
    refuseReduction("got " + std::to_string(reduction.outputs.size()) +
                    " outputs, expected 1 to 128");
  }
  if (!isReducible(reduction.type, op))
    refuseReduction("got an operation that its type does not have");
  if (reduction.count == 0) return;
  withElements(reduction.type, [&]<class T>(Tag<T>) {
    const auto all = reductionsOf<T>(reduction, op, factor);
    queue.launch(shapeFor(all.items()), Reduce<T>{all}, "reduction of terms");
  });
}

}  // namespace shardlens::kernels::cuda
