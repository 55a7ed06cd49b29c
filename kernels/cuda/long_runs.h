#pragma once

#include "kernels/arithmetic.h"
#include "kernels/cuda/copy_ahead.h"
#include "kernels/cuda/grid.h"
#include "kernels/cuda/group.h"
#include "kernels/cuda/sorted_ids.h"
#include "kernels/cuda/word.h"

#include <algorithm>
#include <cstdint>

namespace shardlens::kernels::cuda {

// Adds the runs that AddShortRuns listed.
//
// A block processes 128 bytes of the row of one run at a time. The additions are sequential, so
// their rate is the rate at which gradients arrive. All threads copy gradients ahead into a ring of
// kStages stages of 32 gradients in shared memory, and one thread per element adds the oldest
// stage. A second ring holds the positions of the gradients, which are copied kAhead steps earlier.
// A block has 33 KiB of shared memory and up to 224 gradients in flight.
//
// Step s of the loop adds stage s, copies the gradients of stage s + kAhead, whose positions have
// arrived, and copies the positions of stage s + 2 * kAhead. Each ring has kAhead + 1 slots, so
// that a step never overwrites a slot that it reads.
template <class T, int kCount>
struct AddLongRuns {
  using Group = kernels::cuda::Group<kThreads>;
  using P = Pack<T, kCount>;
  static constexpr int kStages = 8;
  static constexpr int kAhead = kStages - 1;
  static constexpr int kStageGrads = 32;
  static constexpr int kSliceWords = 128 / sizeof(P);
  static constexpr int kSliceElements = kSliceWords * kCount;
  static constexpr std::int64_t kMostBlocks = 1024;

  struct Shared {
    P grads[kStages][kStageGrads][kSliceWords];
    std::uint32_t positions[kStages][kStageGrads];
  };

  SortedIds ids;
  const P* grads;
  RowTable<P> out;
  LongRuns longRuns;

  // The number of long runs is not known on the CPU. Blocks without a run end at once.
  Shape shape() const {
    if (out.packs == 0) return {};
    const std::int64_t slices = ceilDiv(out.packs, kSliceWords);
    const std::int64_t blocks = std::max<std::int64_t>(kMostBlocks / slices, 1);
    return {.blocks = std::min(LongRuns::most(ids.count), blocks),
            .slices = std::min(slices, kMostSlices)};
  }

  SHARDLENS_HOST_DEVICE void operator()(const Group& block, const GroupPlace& at,
                                        Shared& shared) const {
    const std::int64_t count = *longRuns.count;
    for (std::int64_t r = at.group; r < count; r += at.groups) {
      for (std::int64_t slice = at.slice; slice * kSliceWords < out.packs; slice += at.slices) {
        addSlice(block, longRuns.runs[r], slice * kSliceWords, shared);
      }
    }
  }

 private:
  SHARDLENS_HOST_DEVICE void addSlice(const Group& block, Run run, std::int64_t firstWord,
                                      Shared& shared) const {
    const std::int64_t left = out.packs - firstWord;
    const int sliceWords = left < kSliceWords ? static_cast<int>(left) : kSliceWords;
    T* const target = reinterpret_cast<T*>(out.rowOf(ids, run.begin) + firstWord);
    PerThread<T, kThreads> sum;
    const auto hasElement = [&](int thread) { return thread < sliceWords * kCount; };
    block.each([&](int thread) { sum[thread] = hasElement(thread) ? target[thread] : T{}; });
    const int stages = static_cast<int>((run.count + kStageGrads - 1) / kStageGrads);
    for (int step = -2 * kAhead; step < stages; ++step) {
      block.each([&](int thread) {
        copyPositions(run, step + 2 * kAhead, thread, shared);
        copyGrads(run, step + kAhead, firstWord, sliceWords, thread, shared);
        endStep();
        if (step >= 0 && hasElement(thread)) {
          sum[thread] = added(sum[thread], leftOf(run, step), thread, shared.grads[step % kStages]);
        }
        waitForSteps<kAhead - 1>();
      });
    }
    block.each([&](int thread) {
      if (hasElement(thread)) target[thread] = sum[thread];
    });
  }

  // Returns the number of gradients of a stage, 0 for a stage that does not exist.
  SHARDLENS_HOST_DEVICE static int leftOf(Run run, int stage) {
    if (stage < 0) return 0;
    const std::int64_t left = std::int64_t{run.count} - std::int64_t{stage} * kStageGrads;
    return left <= 0 ? 0 : left < kStageGrads ? static_cast<int>(left) : kStageGrads;
  }

  SHARDLENS_HOST_DEVICE void copyPositions(Run run, int stage, int thread, Shared& shared) const {
    if (thread >= leftOf(run, stage)) return;
    const std::int64_t i = std::int64_t{run.begin} + std::int64_t{stage} * kStageGrads + thread;
    copyAhead(&shared.positions[stage % kStages][thread], ids.positions + i);
  }

  SHARDLENS_HOST_DEVICE void copyGrads(Run run, int stage, std::int64_t firstWord, int sliceWords,
                                       int thread, Shared& shared) const {
    const int left = leftOf(run, stage);
    for (int item = thread; item < left * kSliceWords; item += kThreads) {
      const int grad = item / kSliceWords, word = item % kSliceWords;
      if (word >= sliceWords) continue;
      const std::int64_t position = shared.positions[stage % kStages][grad];
      copyAhead(&shared.grads[stage % kStages][grad][word],
                grads + position * out.packs + firstWord + word);
    }
  }

  // Returns the sum and the element of this thread in each of the stage's gradients.
  SHARDLENS_HOST_DEVICE static T added(T sum, int left, int thread,
                                       const P (&stage)[kStageGrads][kSliceWords]) {
    const T* elements = reinterpret_cast<const T*>(&stage[0][0]) + thread;
    if (left == kStageGrads) {
      SHARDLENS_UNROLLED
      for (int k = 0; k < kStageGrads; ++k) sum = roundedSum(sum, elements[k * kSliceElements]);
      return sum;
    }
    for (int k = 0; k < left; ++k) sum = roundedSum(sum, elements[k * kSliceElements]);
    return sum;
  }
};

}  // namespace shardlens::kernels::cuda
