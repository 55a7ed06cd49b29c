#pragma once

#include "kernels/cuda/copy.h"
#include "kernels/cuda/grid.h"
#include "kernels/cuda/word.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <vector>

namespace shardlens::kernels::cuda {

// The copies of one launch: each source is read once and written to its targets. Blocks of threads
// take the tiles of the sources one after another.
struct BlockBatch {
  static constexpr int kMostSources = 64;
  static constexpr int kMostTargets = 256;

  struct Source {
    const void* from;
    std::int64_t bytes;
  };

  Source sources[kMostSources];
  void* targets[kMostTargets];               // of all sources, in their order
  std::int64_t firstTile[kMostSources + 1];  // of each source, then the number of tiles
  std::int16_t firstTarget[kMostSources + 1];
  std::uint8_t wordLog2[kMostSources];  // log2 of the bytes that a thread moves at once
  int count;

  std::int64_t tiles() const { return firstTile[count]; }
};

inline constexpr int kBlockWordsAtOnce = 4;
inline constexpr std::int64_t kBlockTileWords = kThreads * kBlockWordsAtOnce;

// See Note [Bodies of kernels].
struct CopyBlocks {
  BlockBatch batch;

  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    int source = 0;
    for (std::int64_t tile = at.block; tile < batch.firstTile[batch.count]; tile += at.blocks) {
      while (tile >= batch.firstTile[source + 1]) ++source;
      const std::int64_t own = tile - batch.firstTile[source];
      switch (batch.wordLog2[source]) {
        case 4:
          move<Word16>(source, own, at.thread);
          break;
        case 3:
          move<std::uint64_t>(source, own, at.thread);
          break;
        case 2:
          move<std::uint32_t>(source, own, at.thread);
          break;
        case 1:
          move<std::uint16_t>(source, own, at.thread);
          break;
        default:
          move<std::uint8_t>(source, own, at.thread);
      }
    }
  }

 private:
  template <class Word>
  SHARDLENS_HOST_DEVICE void move(int source, std::int64_t tile, int thread) const {
    const auto& [from, bytes] = batch.sources[source];
    const std::int64_t words = bytes / static_cast<std::int64_t>(sizeof(Word));
    const std::int64_t first = tile * kBlockTileWords + thread;
    Word values[kBlockWordsAtOnce];
    SHARDLENS_UNROLLED
    for (int k = 0; k < kBlockWordsAtOnce; ++k) {
      const std::int64_t word = first + k * kThreads;
      if (word < words) values[k] = readWord(static_cast<const Word*>(from) + word);
    }
    for (int t = batch.firstTarget[source]; t < batch.firstTarget[source + 1]; ++t) {
      auto* const to = static_cast<Word*>(batch.targets[t]);
      SHARDLENS_UNROLLED
      for (int k = 0; k < kBlockWordsAtOnce; ++k) {
        const std::int64_t word = first + k * kThreads;
        if (word < words) writeWord(to + word, values[k]);
      }
    }
    if (tile == 0) moveRest(source, words * static_cast<std::int64_t>(sizeof(Word)), thread);
  }

  // Moves the bytes after the last word, one per thread.
  SHARDLENS_HOST_DEVICE void moveRest(int source, std::int64_t moved, int thread) const {
    const auto& [from, bytes] = batch.sources[source];
    if (moved + thread >= bytes) return;
    const auto byte = readWord(static_cast<const std::uint8_t*>(from) + moved + thread);
    for (int t = batch.firstTarget[source]; t < batch.firstTarget[source + 1]; ++t) {
      writeWord(static_cast<std::uint8_t*>(batch.targets[t]) + moved + thread, byte);
    }
  }
};

// Collects copies, sorted by source, and launches them in batches. Keeps a reference to the queue.
// Sources that were added after the last launch are lost when it is destroyed.
template <class Queue>
class BlockBatches {
 public:
  explicit BlockBatches(Queue& queue) : queue_(queue) {}

  // Adds one source with some of its targets: 1 to kMostTargets copies of the same source and size.
  // Launches the previous sources if the batch is full.
  void add(std::span<const BlockCopy> some) {
    const auto targets = static_cast<int>(some.size());
    if (batch_.count == BlockBatch::kMostSources || last() + targets > BlockBatch::kMostTargets) {
      launch();
    }
    std::uint64_t bits = bitsOf(some.front().from);
    for (int t = 0; t < targets; ++t) {
      void* to = some[static_cast<std::size_t>(t)].to;
      batch_.targets[last() + t] = to;
      bits |= bitsOf(to);
    }
    const int source = batch_.count++;
    const std::int64_t bytes = some.front().bytes;
    const int wordLog2 = bits == 0 ? 4 : std::min(std::countr_zero(bits), 4);
    batch_.sources[source] = {some.front().from, bytes};
    batch_.wordLog2[source] = static_cast<std::uint8_t>(wordLog2);
    // A block that is smaller than a word has one tile too.
    const std::int64_t tiles =
        std::max<std::int64_t>(ceilDiv(bytes >> wordLog2, kBlockTileWords), 1);
    batch_.firstTile[source + 1] = batch_.firstTile[source] + tiles;
    batch_.firstTarget[source + 1] =
        static_cast<std::int16_t>(batch_.firstTarget[source] + targets);
  }

  // Launches the sources that were added since the last launch; launches nothing if there are none.
  void launch() {
    queue_.launch(shapeFor(batch_.tiles(), 1), CopyBlocks{batch_}, "copy of blocks");
    batch_ = {};
  }

 private:
  int last() const { return batch_.firstTarget[batch_.count]; }

  Queue& queue_;
  BlockBatch batch_{};
};

// Queues copyBlocks(). See StreamQueue for `queue`.
template <class Queue>
void copyBlocksOn(Queue& queue, std::span<const BlockCopy> copies) {
  std::vector<BlockCopy> sorted;
  std::copy_if(copies.begin(), copies.end(), std::back_inserter(sorted),
               [](const BlockCopy& copy) { return copy.bytes > 0; });
  const auto isBefore = [](const BlockCopy& one, const BlockCopy& other) {
    if (one.from != other.from) return std::less<>()(one.from, other.from);
    return one.bytes < other.bytes;
  };
  std::stable_sort(sorted.begin(), sorted.end(), isBefore);
  BlockBatches<Queue> batches(queue);
  for (std::span<const BlockCopy> left = sorted; !left.empty();) {
    std::size_t same = 1;
    while (same < left.size() && same < BlockBatch::kMostTargets &&
           !isBefore(left.front(), left[same])) {
      ++same;
    }
    batches.add(left.first(same));
    left = left.subspan(same);
  }
  batches.launch();
}

}  // namespace shardlens::kernels::cuda
