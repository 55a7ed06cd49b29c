#pragma once

#include "shardlens_gpu_build.h"
#include "tests/kernels/on_processor.h"
#ifdef SHARDLENS_WITH_CUDA
#include "tests/kernels/on_gpu.h"
#endif

#include <gtest/gtest.h>

#include <random>

namespace shardlens::kernels::cuda {

// Base of the suites that compare kernels of the GPU with those of the processor. `Place` decides
// where the GPU kernels run. Skips the tests if Place::whyNot() returns a reason.
template <class Place>
class OnPlace : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = Place::whyNot()) GTEST_SKIP() << *why;
  }
};

#ifdef SHARDLENS_WITH_CUDA
using Places = testing::Types<OnProcessor, OnGpu>;
#else
using Places = testing::Types<OnProcessor>;
#endif

// A copy of a host vector in the memory of `Place`, `offset` bytes after an aligned address.
template <class Place, class T>
struct Moved {
  explicit Moved(const std::vector<T>& from, std::size_t offset = 0)
      : count(from.size()), memory(from.data(), from.size() * sizeof(T), offset) {}

  T* data() const { return static_cast<T*>(memory.data()); }
  std::vector<T> back() const {
    std::vector<T> values(count);
    memory.read(values.data());
    return values;
  }

  std::size_t count;
  typename Place::Memory memory;
};

template <class Id>
Ids idsAt(const Id* data, std::size_t count) {
  return {data, sizeof(Id) == 4 ? IdType::Int32 : IdType::Int64, static_cast<std::int64_t>(count)};
}

// Random numbers with a fixed seed, the same in every run. below() and ids() exclude `end`.
class Lot {
 public:
  std::int64_t below(std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_);
  }
  template <class Id>
  std::vector<Id> ids(std::size_t count, std::int64_t begin, std::int64_t end) {
    std::vector<Id> ids(count);
    for (auto& id : ids) id = static_cast<Id>(begin + below(end - begin));
    return ids;
  }
  std::vector<std::uint8_t> bytes(std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(below(256));
    return bytes;
  }

 private:
  std::mt19937_64 random_{7};
};

}  // namespace shardlens::kernels::cuda
