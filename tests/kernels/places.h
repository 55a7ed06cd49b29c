#pragma once

#include "shardlens_gpu_build.h"
#include "tests/kernels/on_processor.h"
#ifdef SHARDLENS_WITH_CUDA
#include "tests/kernels/on_gpu.h"
#endif

#include <gtest/gtest.h>

#include <random>

namespace shardlens::kernels::cuda {

// A suite of what the GPU's kernels do, beside what the processor's do, wherever it can be run.
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

// What the processor has, where kernels are tried.
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

// Numbers drawn by lot, the same in every run.
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
