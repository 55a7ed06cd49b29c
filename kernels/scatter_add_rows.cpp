#include "kernels/float16.h"
#include "kernels/owned.h"
#include "kernels/rows.h"

#include <cstring>

namespace shardlens::kernels {
namespace {

template <class T>
T sum(T a, T b) {
  if constexpr (sizeof(T) == 2) {
    return T::from(static_cast<float>(a) + static_cast<float>(b));
  } else {
    return a + b;
  }
}

template <class T, class Id>
void addRows(const Id* ids, std::int64_t count, const T* grads, std::int64_t width, RowRange rows,
             std::optional<std::int64_t> paddingIdx, T* out) {
  for (std::int64_t i = 0; i < count; ++i, grads += width) {
    const std::uint64_t row = rowInShard(ids[i], rows);
    if (!isOwned(row, rows) || paddingIdx == ids[i]) continue;
    T* __restrict target = out + static_cast<std::int64_t>(row) * width;
    const T* __restrict source = grads;
    for (std::int64_t j = 0; j < width; ++j) target[j] = sum(target[j], source[j]);
  }
}

template <class T>
void addTyped(const Ids& ids, const RowGrads& grads, RowRange rows,
              std::optional<std::int64_t> paddingIdx, void* out) {
  withIds(ids, [&](const auto* data) {
    addRows(data, ids.count, static_cast<const T*>(grads.data), grads.width, rows, paddingIdx,
            static_cast<T*>(out));
  });
}

}  // namespace

void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out) {
  switch (grads.type) {
    case FloatType::Float16:
      return addTyped<Float16>(ids, grads, rows, paddingIdx, out);
    case FloatType::BFloat16:
      return addTyped<BFloat16>(ids, grads, rows, paddingIdx, out);
    case FloatType::Float32:
      return addTyped<float>(ids, grads, rows, paddingIdx, out);
    case FloatType::Float64:
      return addTyped<double>(ids, grads, rows, paddingIdx, out);
  }
}

}  // namespace shardlens::kernels
