#include "kernels/owned.h"
#include "kernels/rows_cuda.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace shardlens::kernels::cuda {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMostBlocks = 1 << 16;  // beyond it, a thread does several

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string("CUDA ") + what + ": " + cudaGetErrorString(status));
}

unsigned blocksFor(std::int64_t items) {
  return static_cast<unsigned>(std::min((items + kThreads - 1) / kThreads, kMostBlocks));
}

__device__ std::int64_t firstItem() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t itemStride() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

// An item is a word of the result, so that neighbouring threads touch neighbouring words.
template <class Word, class Id>
__global__ void lookUp(const Word* table, RowRange rows, std::int64_t words, const Id* ids,
                       std::int64_t count, Word* out, std::uint8_t* mask) {
  for (std::int64_t item = firstItem(); item < count * words; item += itemStride()) {
    const std::int64_t i = item / words;
    const std::int64_t word = item - i * words;
    const std::uint64_t row = rowInShard(ids[i], rows);
    const bool owned = isOwned(row, rows);
    out[item] = owned ? table[static_cast<std::int64_t>(row) * words + word] : Word{};
    if (mask != nullptr && word == 0) mask[i] = owned ? 0 : 1;
  }
}

template <class Id>
__global__ void maskOnly(RowRange rows, const Id* ids, std::int64_t count, std::uint8_t* mask) {
  for (std::int64_t i = firstItem(); i < count; i += itemStride()) {
    mask[i] = isOwned(rowInShard(ids[i], rows), rows) ? 0 : 1;
  }
}

struct Padding {
  bool given;
  std::int64_t id;
};

template <class T, class Id>
__global__ void addRows(const Id* ids, std::int64_t count, const T* grads, std::int64_t width,
                        RowRange rows, Padding padding, T* out) {
  for (std::int64_t item = firstItem(); item < count * width; item += itemStride()) {
    const std::int64_t id = ids[item / width];
    const std::uint64_t row = rowInShard(id, rows);
    if (!isOwned(row, rows) || (padding.given && id == padding.id)) continue;
    atomicAdd(out + static_cast<std::int64_t>(row) * width + item % width, grads[item]);
  }
}

template <class Id>
__global__ void findOutside(const Id* ids, std::int64_t count, RowRange table,
                            unsigned long long* first) {
  for (std::int64_t i = firstItem(); i < count; i += itemStride()) {
    if (!isOwned(rowInShard(ids[i], table), table)) {
      atomicMin(first, static_cast<unsigned long long>(i));
    }
  }
}

template <class Word>
void lookUpWords(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask,
                 Stream stream) {
  const auto words = shard.rowBytes / static_cast<std::int64_t>(sizeof(Word));
  withIds(ids, [&](const auto* data) {
    lookUp<<<blocksFor(ids.count * words), kThreads, 0, stream>>>(
        static_cast<const Word*>(shard.data), shard.rows, words, data, ids.count,
        static_cast<Word*>(out), mask);
  });
}

template <class T>
void addTyped(const Ids& ids, const RowGrads& grads, RowRange rows,
              std::optional<std::int64_t> paddingIdx, void* out, Stream stream) {
  withIds(ids, [&](const auto* data) {
    addRows<<<blocksFor(ids.count * grads.width), kThreads, 0, stream>>>(
        data, ids.count, static_cast<const T*>(grads.data), grads.width, rows,
        Padding{paddingIdx.has_value(), paddingIdx.value_or(0)}, static_cast<T*>(out));
  });
}

bool fits(const void* a, const void* b, std::int64_t rowBytes, std::size_t word) {
  const auto bits = reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b) |
                    static_cast<std::uintptr_t>(rowBytes);
  return bits % word == 0;
}

// Eight bytes of the device, of the stream's own time.
class DevicePosition {
 public:
  explicit DevicePosition(Stream stream) : stream_(stream) {
    check(cudaMallocAsync(&data_, sizeof(*data_), stream), "allocation");
  }
  ~DevicePosition() { cudaFreeAsync(data_, stream_); }
  DevicePosition(const DevicePosition&) = delete;
  DevicePosition& operator=(const DevicePosition&) = delete;
  unsigned long long* get() const { return data_; }

 private:
  Stream stream_;
  unsigned long long* data_ = nullptr;
};

}  // namespace

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask,
                  Stream stream) {
  if (ids.count == 0) return;
  if (shard.rowBytes == 0) {
    if (mask == nullptr) return;
    withIds(ids, [&](const auto* data) {
      maskOnly<<<blocksFor(ids.count), kThreads, 0, stream>>>(shard.rows, data, ids.count, mask);
    });
  } else if (fits(shard.data, out, shard.rowBytes, sizeof(int4))) {
    lookUpWords<int4>(shard, ids, out, mask, stream);
  } else if (fits(shard.data, out, shard.rowBytes, sizeof(int))) {
    lookUpWords<int>(shard, ids, out, mask, stream);
  } else {
    lookUpWords<unsigned char>(shard, ids, out, mask, stream);
  }
  check(cudaGetLastError(), "masked lookup");
}

void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out, Stream stream) {
  if (ids.count == 0 || grads.width == 0 || rows.count == 0) return;
  switch (grads.type) {
    case FloatType::Float16:
      addTyped<__half>(ids, grads, rows, paddingIdx, out, stream);
      break;
    case FloatType::BFloat16:
      addTyped<__nv_bfloat16>(ids, grads, rows, paddingIdx, out, stream);
      break;
    case FloatType::Float32:
      addTyped<float>(ids, grads, rows, paddingIdx, out, stream);
      break;
    case FloatType::Float64:
      addTyped<double>(ids, grads, rows, paddingIdx, out, stream);
      break;
  }
  check(cudaGetLastError(), "scatter-add of rows");
}

std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows, Stream stream) {
  if (ids.count == 0) return std::nullopt;
  auto first = ~0ULL;
  const DevicePosition found(stream);
  check(cudaMemsetAsync(found.get(), 0xFF, sizeof(first), stream), "memset");
  withIds(ids, [&](const auto* data) {
    findOutside<<<blocksFor(ids.count), kThreads, 0, stream>>>(
        data, ids.count, RowRange{.begin = 0, .count = tableRows}, found.get());
  });
  check(cudaGetLastError(), "check of ids");
  check(cudaMemcpyAsync(&first, found.get(), sizeof(first), cudaMemcpyDeviceToHost, stream),
        "copy of a position");
  check(cudaStreamSynchronize(stream), "check of ids");
  if (first == ~0ULL) return std::nullopt;
  return static_cast<std::int64_t>(first);
}

}  // namespace shardlens::kernels::cuda
