#include "core/memory/reduce.h"

#include "core/base/check.h"
#include "core/memory/copy.h"
#include "core/memory/dtypes.h"
#include "core/memory/parallel_for.h"
#include "core/memory/strided_copy.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace shardlens {
namespace {

// Bytes that are reduced at a time; they fit in the first-level cache.
constexpr std::int64_t kReduceBlock = std::int64_t{8} << 10;

struct alignas(64) Scratch {
  std::array<char, kReduceBlock> bytes;
};

// The memory of an addend or an output. Any range of its bytes, counted in element order, can be
// read or written.
class Place {
 public:
  Place(char* data, bool packed, const StridedCopy& layout)
      : data_(data), packed_(packed), layout_(layout) {}

  // Returns the address of the bytes from `begin` on if they are contiguous, else null.
  char* packedAt(std::int64_t begin) const { return packed_ ? data_ + begin : nullptr; }

  // Returns the bytes, in place if they are contiguous, else copied to `scratch`.
  const char* read(std::int64_t begin, std::int64_t end, Scratch& scratch) const {
    if (packed_) return data_ + begin;
    layout_.copy(scratch.bytes.data() - begin, data_, begin, end);
    return scratch.bytes.data();
  }

  void write(std::int64_t begin, std::int64_t end, const char* bytes) const {
    if (!packed_) return layout_.copy(data_, bytes - begin, begin, end);
    if (data_ + begin == bytes) return;
    std::memcpy(data_ + begin, bytes, static_cast<std::size_t>(end - begin));
  }

 private:
  char* data_;
  bool packed_;
  StridedCopy layout_;
};

// One reduction, of which any range of elements can be run separately.
class ReduceJob {
 public:
  ReduceJob(const Terms& reduction, const kernels::ReduceLoops& loops, double factor)
      : loops_(loops), factor_(factor) {
    const auto& like = reduction.terms.front();
    itemBytes_ = static_cast<std::int64_t>(like.element_size());
    count_ = like.numel();
    addends_.reserve(reduction.terms.size());
    outputs_.reserve(reduction.outputs.size());
    for (const auto& addend : reduction.terms) {
      auto* data = const_cast<char*>(static_cast<const char*>(addend.const_data_ptr()));
      addends_.emplace_back(data, addend.is_contiguous(), copyToPacked(addend));
    }
    for (const auto& output : reduction.outputs) {
      outputs_.emplace_back(static_cast<char*>(output.mutable_data_ptr()), output.is_contiguous(),
                            copyFromPacked(output));
    }
  }

  Work work() const {
    return {count_, itemBytes_ * static_cast<std::int64_t>(addends_.size() + outputs_.size())};
  }

  void run(std::int64_t begin, std::int64_t end) const {
    const std::int64_t block = kReduceBlock / std::max(itemBytes_, loops_.accumulatorBytes);
    for (; begin < end; begin += block) reduceBlock(begin, std::min(begin + block, end));
  }

 private:
  void reduceBlock(std::int64_t firstElement, std::int64_t lastElement) const {
    const std::int64_t count = lastElement - firstElement;
    const std::int64_t begin = firstElement * itemBytes_;
    const std::int64_t end = lastElement * itemBytes_;
    std::array<Scratch, 2> accumulators;
    Scratch packed;
    // The last loop writes to the output directly, unless it reads from there.
    const auto target = [&](const char* one, const char* other, Scratch& elsewhere) {
      char* place = outputs_.front().packedAt(begin);
      const bool apart = place != nullptr && place != one && place != other;
      return apart ? place : elsewhere.bytes.data();
    };

    const char* sum = addends_.front().read(begin, end, loops_.start ? packed : accumulators[0]);
    if (loops_.start) {
      loops_.start(accumulators[0].bytes.data(), sum, count, factor_);
      sum = accumulators[0].bytes.data();
    }
    for (std::size_t i = 1; i < addends_.size(); ++i) {
      const char* addend = addends_[i].read(begin, end, packed);
      auto& next = accumulators[i % 2];
      const bool last = i + 1 == addends_.size() && !loops_.finish;
      char* result = last ? target(sum, addend, next) : next.bytes.data();
      loops_.add(result, sum, addend, count, factor_);
      sum = result;
    }
    if (loops_.finish) {
      char* result = target(sum, nullptr, packed);
      loops_.finish(result, sum, count, static_cast<std::int64_t>(addends_.size()));
      sum = result;
    }
    for (const auto& output : outputs_) output.write(begin, end, sum);
  }

  kernels::ReduceLoops loops_;
  double factor_;
  std::int64_t itemBytes_;
  std::int64_t count_;
  std::vector<Place> addends_, outputs_;
};

std::optional<kernels::ReduceLoops> loopsFor(const at::Tensor& like, ReduceOp op) {
  const auto type = kernelElements(like.scalar_type());
  return type ? kernels::reduceLoops(*type, kernelOp(op)) : std::nullopt;
}

bool isForLoops(const at::Tensor& tensor) {
  return isPlain(tensor) && copyToPacked(tensor).isCheap();
}

}  // namespace

void reduceAll(const std::vector<Terms>& reductions, Reduction reduction) {
  std::vector<ReduceJob> jobs;
  std::vector<Work> work;
  jobs.reserve(reductions.size());
  work.reserve(reductions.size());
  for (const auto& each : reductions) {
    SL_CHECK(!each.terms.empty() && !each.outputs.empty(), "a reduction has terms and outputs");
    const auto& like = each.terms.front();
    bool forLoops = true;
    for (const auto* buffers : {&each.terms, &each.outputs}) {
      for (const auto& buffer : *buffers) {
        SL_CHECK(buffer.sizes() == like.sizes(),
                 "inputs and outputs of a reduction have one shape");
        SL_CHECK(buffer.scalar_type() == like.scalar_type(),
                 "inputs and outputs of a reduction have one dtype");
        forLoops = forLoops && isForLoops(buffer);
      }
    }
    const auto loops = loopsFor(like, reduction.op);
    if (!forLoops || !loops) {
      if (!reduceOnGpu(each, reduction)) reduceByTorch(each, reduction);
      continue;
    }
    jobs.emplace_back(each, *loops, reduction.factor);
    work.push_back(jobs.back().work());
  }
  parallelFor(
      work, [&](std::size_t i, std::int64_t begin, std::int64_t end) { jobs[i].run(begin, end); });
}

}  // namespace shardlens
