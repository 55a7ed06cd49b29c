#pragma once

#include "kernels/cuda/grid.h"
#include "kernels/cuda/group.h"
#include "kernels/cuda/short_runs.h"
#include "kernels/cuda/sorted_ids.h"
#include "kernels/cuda/word.h"
#include "kernels/owned.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace shardlens::kernels::cuda {

// Note [Linked ids]
// A sort of few ids leaves most of a GPU idle. Few ids are therefore linked by row: each id
// exchanges itself with the head of its row's list. The warp of an id that is still the head
// collects the list, sorts its positions and adds the gradients in their order. For lists of more
// than 32 ids, blocks search all ids for their rows, and AddLongRuns adds the gradients. Tables
// with few rows for so many ids would have many such lists, so their ids are sorted.

inline constexpr std::int64_t kMostLinkedIds = 1 << 17;

// Returns true if ids of a table with so many rows are linked rather than sorted: 4 ids per row at
// most, and heads of 32 MiB at most.
inline bool areLinked(std::int64_t ids, std::int64_t rows) {
  constexpr std::int64_t kMostPerRow = 4, kMostRows = 1 << 23;
  return ids <= kMostLinkedIds && ids <= kMostPerRow * rows && rows <= kMostRows;
}

inline constexpr std::uint32_t kNoLink = ~0U;  // the end of a list

// The padding id, whose gradients are not added, if `given`.
struct Padding {
  bool given;
  std::int64_t id;
};

// The ids of a gradient, and the rows of the table that they name.
template <class Id>
struct RowNames {
  const Id* ids;
  std::int64_t count;
  RowRange rows;
  Padding padding;

  // Returns the row of the i-th id, `rows.count` if it adds nothing.
  SHARDLENS_HOST_DEVICE std::uint32_t rowOf(std::int64_t i) const {
    const std::uint64_t row = rowInShard(ids[i], rows);
    const bool isNone = !isOwned(row, rows) || (padding.given && ids[i] == padding.id);
    return static_cast<std::uint32_t>(isNone ? static_cast<std::uint64_t>(rows.count) : row);
  }
  SHARDLENS_HOST_DEVICE bool isNone(std::uint32_t row) const { return row == rows.count; }
};

// Replaces a number in memory that other threads replace too, and returns its former value.
SHARDLENS_HOST_DEVICE inline std::uint32_t exchanged(std::uint32_t* number, std::uint32_t value) {
#ifdef __CUDA_ARCH__
  return atomicExch(number, value);
#else
  return std::exchange(*number, value);
#endif
}

// Empties the lists of all rows. Sets the number of long runs, and of their ids, to 0.
struct ClearLinks {
  std::uint32_t* heads;
  std::int64_t rows;
  std::uint32_t* longRunCount;
  std::uint32_t* longIdCount;

  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    if (firstItem(at) == 0) *longRunCount = *longIdCount = 0;
    for (std::int64_t i = firstItem(at); i < rows; i += itemStride(at)) heads[i] = kNoLink;
  }
};

// Links each id to the id that named its row before.
template <class Id>
struct LinkIds {
  RowNames<Id> names;
  std::uint32_t* heads;
  std::uint32_t* next;

  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    for (std::int64_t i = firstItem(at); i < names.count; i += itemStride(at)) {
      const std::uint32_t row = names.rowOf(i);
      if (!names.isNone(row)) next[i] = exchanged(heads + row, static_cast<std::uint32_t>(i));
    }
  }
};

// Adds the gradients of lists of up to 32 ids, and lists the rows of longer ones as runs, whose
// `begin` is the row for now.
template <class T, int kCount, class Id>
struct AddLinked {
  using Group = Warp;
  using P = Pack<T, kCount>;
  static constexpr int kMost = kWarp;

  struct Shared {
    std::uint32_t linked[kMost];  // positions in the order of the links
    std::uint32_t sorted[kMost];
  };

  RowNames<Id> names;
  const std::uint32_t* heads;
  const std::uint32_t* next;
  const P* grads;
  RowTable<P> out;
  LongRuns longRuns;

  Teams teams() const { return {.words = out.packs, .lanesLog2 = Teams::kMostLanesLog2}; }
  Shape shape() const { return teams().shape(names.count, 1); }

  SHARDLENS_HOST_DEVICE void operator()(const Warp& warp, const GroupPlace& at,
                                        Shared& shared) const {
    for (std::int64_t i = at.group; i < names.count; i += at.groups) {
      const std::uint32_t row = names.rowOf(i);
      if (names.isNone(row) || heads[row] != i) continue;
      int length = 0;
      std::uint32_t link = static_cast<std::uint32_t>(i);
      for (; link != kNoLink && length < kMost; link = next[link]) {
        warp.each([&](int lane) {
          if (lane == 0) shared.linked[length] = link;
        });
        ++length;
      }
      if (link != kNoLink) {
        warp.each([&](int lane) {
          if (lane == 0 && at.slice == 0) longRuns.runs[countOne(longRuns.count)] = {row, 0};
        });
        continue;
      }
      warp.each([&](int lane) {
        if (lane < length) shared.sorted[rankOf(shared.linked, length, lane)] = shared.linked[lane];
      });
      warp.each(
          [&](int lane) { add(at, lane, out.rows + row * out.packs, shared.sorted, length); });
    }
  }

 private:
  SHARDLENS_HOST_DEVICE static int rankOf(const std::uint32_t* positions, int length, int which) {
    int rank = 0;
    for (int k = 0; k < length; ++k) rank += positions[k] < positions[which] ? 1 : 0;
    return rank;
  }

  SHARDLENS_HOST_DEVICE void add(const GroupPlace& at, int lane, P* target,
                                 const std::uint32_t* positions, int length) const {
    const Teams words{.words = out.packs, .lanesLog2 = Teams::kMostLanesLog2};
    words.forWords(placeOf(at, lane), [&](std::int64_t word) {
      addInOrder(target + word, grads + word, out.packs, positions, length);
    });
  }
};

// Lists the positions of the long runs' ids in their order. A block searches all ids for the rows
// of 8 runs, each thread a part of them.
template <class Id>
struct ListLongRuns {
  using Group = kernels::cuda::Group<kThreads>;
  static constexpr int kRunsAtOnce = 8;

  struct Shared {
    std::uint32_t rows[kRunsAtOnce];              // kNoLink: no run
    std::uint32_t found[kRunsAtOnce][kThreads];   // ids of a row in a thread's part
    std::uint32_t places[kRunsAtOnce][kThreads];  // where a thread lists them
  };

  RowNames<Id> names;
  LongRuns longRuns;
  std::uint32_t* idCount;    // of the runs that are listed so far
  std::uint32_t* rows;       // of the first id of each listed run
  std::uint32_t* positions;  // of the listed ids

  Shape shape() const {
    constexpr std::int64_t kMostBlocks = 512;
    return {.blocks = std::min(ceilDiv(LongRuns::most(names.count), kRunsAtOnce), kMostBlocks)};
  }

  SHARDLENS_HOST_DEVICE void operator()(const Group& block, const GroupPlace& at,
                                        Shared& shared) const {
    const std::int64_t runCount = *longRuns.count;
    for (std::int64_t first = at.group * kRunsAtOnce; first < runCount;
         first += at.groups * kRunsAtOnce) {
      block.each([&](int thread) {
        if (thread >= kRunsAtOnce) return;
        const bool isRun = first + thread < runCount;
        shared.rows[thread] = isRun ? longRuns.runs[first + thread].begin : kNoLink;
      });
      block.each([&](int thread) { count(thread, shared); });
      block.each([&](int thread) {
        if (thread < kRunsAtOnce && shared.rows[thread] != kNoLink) {
          place(first + thread, thread, shared);
        }
      });
      block.each([&](int thread) { list(thread, shared); });
    }
  }

 private:
  // Calls f(i, row) for the ids of the thread's part.
  template <class F>
  SHARDLENS_HOST_DEVICE void forPart(int thread, F f) const {
    const std::int64_t part = ceilDiv(names.count, kThreads);
    const std::int64_t begin = part * thread;
    const std::int64_t end = begin + part < names.count ? begin + part : names.count;
    for (std::int64_t i = begin; i < end; ++i) f(static_cast<std::uint32_t>(i), names.rowOf(i));
  }

  SHARDLENS_HOST_DEVICE void count(int thread, Shared& shared) const {
    std::uint32_t found[kRunsAtOnce] = {};
    forPart(thread, [&](std::uint32_t, std::uint32_t row) {
      SHARDLENS_UNROLLED
      for (int k = 0; k < kRunsAtOnce; ++k) found[k] += row == shared.rows[k] ? 1 : 0;
    });
    SHARDLENS_UNROLLED
    for (int k = 0; k < kRunsAtOnce; ++k) shared.found[k][thread] = found[k];
  }

  // Takes room for the k-th run of the block.
  SHARDLENS_HOST_DEVICE void place(std::int64_t run, int k, Shared& shared) const {
    std::uint32_t total = 0;
    for (const auto found : shared.found[k]) total += found;
    const std::uint32_t begin = countMore(idCount, total);
    std::uint32_t next = begin;
    for (int thread = 0; thread < kThreads; ++thread) {
      shared.places[k][thread] = next;
      next += shared.found[k][thread];
    }
    rows[begin] = shared.rows[k];
    longRuns.runs[run] = {begin, total};
  }

  SHARDLENS_HOST_DEVICE void list(int thread, Shared& shared) const {
    forPart(thread, [&](std::uint32_t i, std::uint32_t row) {
      SHARDLENS_UNROLLED
      for (int k = 0; k < kRunsAtOnce; ++k) {
        if (row == shared.rows[k]) positions[shared.places[k][thread]++] = i;
      }
    });
  }
};

}  // namespace shardlens::kernels::cuda
