#include "kernels/arithmetic.h"
#include "kernels/float16.h"
#include "kernels/owned.h"
#include "kernels/rows.h"

namespace shardlens::kernels {
namespace {

template <class T>
void addRow(T* __restrict target, const T* __restrict source, std::int64_t width) {
  for (std::int64_t j = 0; j < width; ++j) target[j] = roundedSum(target[j], source[j]);
}

// Calls f with a typed pointer to the ids and an element of the gradient's type.
template <class F>
void withTypes(const Ids& ids, FloatType type, F f) {
  withIds(ids,
          [&](const auto* data) { withFloats(type, [&](auto element) { f(data, element); }); });
}

}  // namespace

void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out) {
  withTypes(ids, grads.type, [&]<class T>(const auto* data, T) {
    const auto* source = static_cast<const T*>(grads.data);
    for (std::int64_t i = 0; i < ids.count; ++i, source += grads.width) {
      const std::uint64_t row = rowInShard(data[i], rows);
      if (!isOwned(row, rows) || paddingIdx == data[i]) continue;
      auto* target = static_cast<T*>(out) + static_cast<std::int64_t>(row) * grads.width;
      addRow<T>(target, source, grads.width);
    }
  });
}

}  // namespace shardlens::kernels
