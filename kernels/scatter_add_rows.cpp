#include "kernels/arithmetic.h"
#include "kernels/float16.h"
#include "kernels/owned.h"
#include "kernels/rows.h"

#include <algorithm>

namespace shardlens::kernels {
namespace {

template <class T>
void addRow(T* __restrict target, const T* __restrict source, std::int64_t width) {
  for (std::int64_t j = 0; j < width; ++j) target[j] = roundedSum(target[j], source[j]);
}

// Adds the gradient's row of each owned id to targetOf(row).
template <class T, class Id, class TargetOf>
void addRows(const Id* ids, std::int64_t count, const RowGrads& grads, RowRange rows,
             std::optional<std::int64_t> paddingIdx, TargetOf targetOf) {
  const auto* source = static_cast<const T*>(grads.data);
  for (std::int64_t i = 0; i < count; ++i, source += grads.width) {
    const std::uint64_t row = rowInShard(ids[i], rows);
    if (!isOwned(row, rows) || paddingIdx == ids[i]) continue;
    addRow<T>(targetOf(static_cast<std::int64_t>(row)), source, grads.width);
  }
}

// Calls f with a typed pointer to the ids and an element of the gradient's type.
template <class F>
auto withTypes(const Ids& ids, FloatType type, F f) {
  return withIds(ids, [&](const auto* data) {
    return withFloats(type, [&](auto element) { return f(data, element); });
  });
}

}  // namespace

void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out) {
  withTypes(ids, grads.type, [&]<class T>(const auto* data, T) {
    addRows<T>(data, ids.count, grads, rows, paddingIdx,
               [&](std::int64_t row) { return static_cast<T*>(out) + row * grads.width; });
  });
}

std::int64_t scatterAddTouchedRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                                   std::optional<std::int64_t> paddingIdx,
                                   const TouchedRows& touched) {
  return withTypes(ids, grads.type, [&]<class T>(const auto* data, T) {
    std::int64_t count = 0;
    addRows<T>(data, ids.count, grads, rows, paddingIdx, [&](std::int64_t row) {
      auto& slot = touched.slots[row];
      const bool isNew = slot < 0;
      if (isNew) {
        slot = static_cast<std::int32_t>(count);
        touched.rows[count++] = rows.begin + row;
      }
      T* target = static_cast<T*>(touched.values) + slot * grads.width;
      if (isNew) std::fill_n(target, grads.width, T{});
      return target;
    });
    for (std::int64_t i = 0; i < count; ++i) touched.slots[touched.rows[i] - rows.begin] = -1;
    return count;
  });
}

}  // namespace shardlens::kernels
