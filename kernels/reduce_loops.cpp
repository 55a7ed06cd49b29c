#include "kernels/folds.h"
#include "kernels/reduce.h"

namespace shardlens::kernels {
namespace {

template <class Fold>
void start(void* __restrict accumulator, const void* __restrict addend, std::int64_t count,
           double factor) {
  const Fold fold(factor, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<typename Fold::Accumulator*>(accumulator)[i] =
        fold.start(static_cast<const typename Fold::Element*>(addend)[i]);
  }
}

template <class Fold>
void add(void* __restrict result, const void* __restrict accumulator, const void* __restrict addend,
         std::int64_t count, double factor) {
  using Accumulator = typename Fold::Accumulator;
  const Fold fold(factor, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<Accumulator*>(result)[i] =
        fold.add(static_cast<const Accumulator*>(accumulator)[i],
                 static_cast<const typename Fold::Element*>(addend)[i]);
  }
}

template <class Fold>
void finish(void* __restrict result, const void* __restrict accumulator, std::int64_t count,
            std::int64_t addendCount) {
  const Fold fold(1, addendCount);
  for (std::int64_t i = 0; i < count; ++i) {
    static_cast<typename Fold::Element*>(result)[i] =
        fold.finish(static_cast<const typename Fold::Accumulator*>(accumulator)[i]);
  }
}

template <class Fold>
ReduceLoops loopsOf() {
  ReduceLoops loops{sizeof(typename Fold::Accumulator), nullptr, add<Fold>, nullptr};
  if constexpr (Fold::kStarts) loops.start = start<Fold>;
  if constexpr (Fold::kFinishes) loops.finish = finish<Fold>;
  return loops;
}

}  // namespace

std::optional<ReduceLoops> reduceLoops(ElementType type, ReduceOp op) {
  return withElements(type, [&]<class T>(Tag<T>) {
    std::optional<ReduceLoops> loops;
    withFold<T>(op, [&]<class Fold>(Tag<Fold>) { loops = loopsOf<Fold>(); });
    return loops;
  });
}

bool isReducible(ElementType type, ReduceOp op) { return reduceLoops(type, op).has_value(); }

}  // namespace shardlens::kernels
