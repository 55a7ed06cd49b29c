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

// The row of each id in the shard of its owner, who is one of many: others leave it alone.
template <class Word, class Id>
__global__ void lookUpOwned(const Word* table, RowRange rows, std::int64_t words, const Id* ids,
                            const std::int32_t* owners, std::int32_t owner, std::int64_t count,
                            Word* out) {
  for (std::int64_t item = firstItem(); item < count * words; item += itemStride()) {
    const std::int64_t i = item / words;
    if (owners[i] != owner) continue;
    const std::int64_t word = item - i * words;
    const std::uint64_t row = rowInShard(ids[i], rows);
    out[item] = isOwned(row, rows) ? table[static_cast<std::int64_t>(row) * words + word] : Word{};
  }
}

template <class Word>
__global__ void put(const Word* rows, std::int64_t words, const std::int64_t* positions,
                    std::int64_t count, Word* out) {
  for (std::int64_t item = firstItem(); item < count * words; item += itemStride()) {
    const std::int64_t i = item / words;
    out[positions[i] * words + item - i * words] = rows[item];
  }
}

template <class Id>
__global__ void ownersOf(const Id* ids, std::int64_t count, const std::int64_t* bounds,
                         std::int64_t parts, std::int32_t* owners, unsigned long long* counts) {
  for (std::int64_t i = firstItem(); i < count; i += itemStride()) {
    const std::int64_t* part = bounds;
    for (std::int64_t left = parts; left > 1;) {
      const std::int64_t half = left / 2;
      if (part[half] <= ids[i]) part += half;
      left -= half;
    }
    owners[i] = static_cast<std::int32_t>(part - bounds);
    atomicAdd(counts + (part - bounds), 1ULL);
  }
}

struct Padding {
  bool given;
  std::int64_t id;
};

// The row that an id touches; negative where it touches none.
template <class Id>
__device__ std::int64_t touchedRow(Id id, RowRange rows, Padding padding) {
  const std::uint64_t row = rowInShard(id, rows);
  if (!isOwned(row, rows) || (padding.given && id == padding.id)) return -1;
  return static_cast<std::int64_t>(row);
}

// Who is first at a row gives it the next slot.
template <class Id>
__global__ void giveSlots(const Id* ids, std::int64_t count, RowRange rows, Padding padding,
                          TouchedRows touched, unsigned long long* slots) {
  constexpr std::int32_t kFree = -1, kTaken = -2;
  for (std::int64_t i = firstItem(); i < count; i += itemStride()) {
    const std::int64_t row = touchedRow(ids[i], rows, padding);
    if (row < 0 || atomicCAS(touched.slots + row, kFree, kTaken) != kFree) continue;
    const auto slot = atomicAdd(slots, 1ULL);
    touched.rows[slot] = rows.begin + row;
    touched.slots[row] = static_cast<std::int32_t>(slot);
  }
}

template <class T, class Id>
__global__ void addToSlots(const Id* ids, std::int64_t count, const T* grads, std::int64_t width,
                           RowRange rows, Padding padding, TouchedRows touched) {
  for (std::int64_t item = firstItem(); item < count * width; item += itemStride()) {
    const std::int64_t row = touchedRow(ids[item / width], rows, padding);
    if (row < 0) continue;
    T* values = static_cast<T*>(touched.values);
    atomicAdd(values + touched.slots[row] * width + item % width, grads[item]);
  }
}

template <class Id>
__global__ void freeSlots(const Id* ids, std::int64_t count, RowRange rows, Padding padding,
                          std::int32_t* slots) {
  for (std::int64_t i = firstItem(); i < count; i += itemStride()) {
    const std::int64_t row = touchedRow(ids[i], rows, padding);
    if (row >= 0) slots[row] = -1;
  }
}

template <class T, class Id>
__global__ void addRows(const Id* ids, std::int64_t count, const T* grads, std::int64_t width,
                        RowRange rows, Padding padding, T* out) {
  for (std::int64_t item = firstItem(); item < count * width; item += itemStride()) {
    const std::int64_t row = touchedRow(ids[item / width], rows, padding);
    if (row >= 0) atomicAdd(out + row * width + item % width, grads[item]);
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

bool fits(const void* a, const void* b, std::int64_t rowBytes, std::size_t word) {
  const auto bits = reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b) |
                    static_cast<std::uintptr_t>(rowBytes);
  return bits % word == 0;
}

// Numbers on the device, of the stream's own time.
class DeviceNumbers {
 public:
  DeviceNumbers(std::size_t count, Stream stream)
      : bytes_(count * sizeof(*data_)), stream_(stream) {
    check(cudaMallocAsync(&data_, bytes_, stream), "allocation");
  }
  ~DeviceNumbers() { cudaFreeAsync(data_, stream_); }
  DeviceNumbers(const DeviceNumbers&) = delete;
  DeviceNumbers& operator=(const DeviceNumbers&) = delete;

  unsigned long long* get() const { return data_; }
  void fill(int byte) { check(cudaMemsetAsync(data_, byte, bytes_, stream_), "memset"); }
  void set(const void* numbers) {
    check(cudaMemcpyAsync(data_, numbers, bytes_, cudaMemcpyHostToDevice, stream_), "copy");
  }
  // Waits for the stream.
  void read(void* numbers) const {
    check(cudaMemcpyAsync(numbers, data_, bytes_, cudaMemcpyDeviceToHost, stream_), "copy");
    check(cudaStreamSynchronize(stream_), "end of a stream");
  }

 private:
  std::size_t bytes_;
  Stream stream_;
  unsigned long long* data_ = nullptr;
};

// Calls f with a word, the largest that both pieces of memory can be read in row by row.
template <class F>
void withWord(const void* a, const void* b, std::int64_t rowBytes, F f) {
  if (fits(a, b, rowBytes, sizeof(int4))) return f(int4{});
  if (fits(a, b, rowBytes, sizeof(int))) return f(int{});
  f(static_cast<unsigned char>(0));
}

// Calls f with a gradient's element.
template <class F>
void withType(FloatType type, F f) {
  switch (type) {
    case FloatType::Float16:
      return f(__half{});
    case FloatType::BFloat16:
      return f(__nv_bfloat16{});
    case FloatType::Float32:
      return f(float{});
    case FloatType::Float64:
      return f(double{});
  }
}

Padding paddingOf(std::optional<std::int64_t> id) { return {id.has_value(), id.value_or(0)}; }

std::int64_t elementBytes(FloatType type) {
  std::int64_t bytes = 0;
  withType(type, [&](auto element) { bytes = sizeof(element); });
  return bytes;
}

}  // namespace

void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask,
                  Stream stream) {
  if (ids.count == 0) return;
  if (shard.rowBytes == 0) {
    if (mask == nullptr) return;
    withIds(ids, [&](const auto* data) {
      maskOnly<<<blocksFor(ids.count), kThreads, 0, stream>>>(shard.rows, data, ids.count, mask);
    });
  } else {
    withWord(shard.data, out, shard.rowBytes, [&](auto word) {
      using Word = decltype(word);
      const auto words = shard.rowBytes / static_cast<std::int64_t>(sizeof(Word));
      withIds(ids, [&](const auto* data) {
        lookUp<<<blocksFor(ids.count * words), kThreads, 0, stream>>>(
            static_cast<const Word*>(shard.data), shard.rows, words, data, ids.count,
            static_cast<Word*>(out), mask);
      });
    });
  }
  check(cudaGetLastError(), "masked lookup");
}

void findOwners(const Ids& ids, std::span<const std::int64_t> bounds, std::int32_t* owners,
                std::int64_t* counts, Stream stream) {
  const std::size_t parts = bounds.size() - 1;
  DeviceNumbers ends(bounds.size(), stream), found(parts, stream);
  ends.set(bounds.data());
  found.fill(0);
  if (ids.count > 0) {
    withIds(ids, [&](const auto* data) {
      ownersOf<<<blocksFor(ids.count), kThreads, 0, stream>>>(
          data, ids.count, reinterpret_cast<const std::int64_t*>(ends.get()),
          static_cast<std::int64_t>(parts), owners, found.get());
    });
    check(cudaGetLastError(), "owners of rows");
  }
  found.read(counts);
}

void ownedLookup(std::span<const TableShard> shards, const Ids& ids, const std::int32_t* owners,
                 void* out, Stream stream) {
  if (ids.count == 0) return;
  std::int32_t owner = 0;
  for (const auto& shard : shards) {
    if (shard.rowBytes == 0) return;
    withWord(shard.data, out, shard.rowBytes, [&](auto word) {
      using Word = decltype(word);
      const auto words = shard.rowBytes / static_cast<std::int64_t>(sizeof(Word));
      withIds(ids, [&](const auto* data) {
        lookUpOwned<<<blocksFor(ids.count * words), kThreads, 0, stream>>>(
            static_cast<const Word*>(shard.data), shard.rows, words, data, owners, owner, ids.count,
            static_cast<Word*>(out));
      });
    });
    check(cudaGetLastError(), "lookup of owned rows");
    ++owner;
  }
}

void putRows(const void* rows, std::int64_t rowBytes, std::span<const std::int64_t> positions,
             void* out, Stream stream) {
  const auto count = static_cast<std::int64_t>(positions.size());
  if (count == 0 || rowBytes == 0) return;
  withWord(rows, out, rowBytes, [&](auto word) {
    using Word = decltype(word);
    const auto words = rowBytes / static_cast<std::int64_t>(sizeof(Word));
    put<<<blocksFor(count * words), kThreads, 0, stream>>>(
        static_cast<const Word*>(rows), words, positions.data(), count, static_cast<Word*>(out));
  });
  check(cudaGetLastError(), "rows to their places");
}

void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                    std::optional<std::int64_t> paddingIdx, void* out, Stream stream) {
  if (ids.count == 0 || grads.width == 0 || rows.count == 0) return;
  withType(grads.type, [&](auto element) {
    using T = decltype(element);
    withIds(ids, [&](const auto* data) {
      addRows<<<blocksFor(ids.count * grads.width), kThreads, 0, stream>>>(
          data, ids.count, static_cast<const T*>(grads.data), grads.width, rows,
          paddingOf(paddingIdx), static_cast<T*>(out));
    });
  });
  check(cudaGetLastError(), "scatter-add of rows");
}

std::int64_t scatterAddTouchedRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                                   std::optional<std::int64_t> paddingIdx,
                                   const TouchedRows& touched, Stream stream) {
  if (ids.count == 0 || rows.count == 0) return 0;
  const Padding padding = paddingOf(paddingIdx);
  const auto bytes = static_cast<std::size_t>(ids.count * grads.width * elementBytes(grads.type));
  if (bytes > 0) check(cudaMemsetAsync(touched.values, 0, bytes, stream), "memset");
  DeviceNumbers slots(1, stream);
  slots.fill(0);
  withIds(ids, [&](const auto* data) {
    const unsigned blocks = blocksFor(ids.count);
    giveSlots<<<blocks, kThreads, 0, stream>>>(data, ids.count, rows, padding, touched,
                                               slots.get());
    withType(grads.type, [&](auto element) {
      using T = decltype(element);
      if (grads.width == 0) return;
      addToSlots<<<blocksFor(ids.count * grads.width), kThreads, 0, stream>>>(
          data, ids.count, static_cast<const T*>(grads.data), grads.width, rows, padding, touched);
    });
    freeSlots<<<blocks, kThreads, 0, stream>>>(data, ids.count, rows, padding, touched.slots);
  });
  check(cudaGetLastError(), "scatter-add of touched rows");
  std::int64_t count = 0;
  slots.read(&count);
  return count;
}

std::optional<std::int64_t> checkIds(const Ids& ids, std::int64_t tableRows, Stream stream) {
  if (ids.count == 0) return std::nullopt;
  auto first = ~0ULL;
  DeviceNumbers found(1, stream);
  found.fill(0xFF);
  withIds(ids, [&](const auto* data) {
    findOutside<<<blocksFor(ids.count), kThreads, 0, stream>>>(
        data, ids.count, RowRange{.begin = 0, .count = tableRows}, found.get());
  });
  check(cudaGetLastError(), "check of ids");
  found.read(&first);
  if (first == ~0ULL) return std::nullopt;
  return static_cast<std::int64_t>(first);
}

}  // namespace shardlens::kernels::cuda
