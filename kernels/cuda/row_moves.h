#pragma once

#include "kernels/cuda/grid.h"
#include "kernels/cuda/warp_lookup.h"
#include "kernels/cuda/word.h"
#include "kernels/owned.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

namespace shardlens::kernels::cuda {

// Note [Copies of rows]
// A team of up to 32 lanes (Teams) copies kRowsAtOnce rows at a time: 2, or 1 where rows have more
// words than the team has lanes or there are few rows, because otherwise too few blocks hide the
// latency of the memory. A row of more than 256 words is divided among the slices of the grid. Many
// lookups of rows of 8 to 32 words run as WarpLookup instead.

inline constexpr std::int64_t kFewRows = 1 << 15;

// See Note [Bodies of kernels]. Copies row i from moves.from(i) to moves.to(i). A null `from`
// writes zeros; a null `to` skips the row. Calls moves.note(i, from) once per row.
template <int kRowsAtOnce, class Word, class Moves>
SHARDLENS_HOST_DEVICE void moveRows(const Place& at, const Teams& teams, std::int64_t count,
                                    const Moves& moves) {
  const std::int64_t tile = teams.count() * kRowsAtOnce;
  const bool notes = teams.lane(at) == 0 && at.slice == 0;
  for (std::int64_t first = at.block * tile; first < count; first += at.blocks * tile) {
    const Word* from[kRowsAtOnce];
    Word* to[kRowsAtOnce];
    SHARDLENS_UNROLLED
    for (int r = 0; r < kRowsAtOnce; ++r) {
      const std::int64_t i = first + r * teams.count() + teams.team(at);
      from[r] = nullptr;
      to[r] = nullptr;
      if (i >= count) continue;
      from[r] = moves.from(i);
      to[r] = moves.to(i);
    }
    // A separate loop: the compiler must assume that note() overwrites ids, and would not batch
    // their reads.
    SHARDLENS_UNROLLED
    for (int r = 0; r < kRowsAtOnce; ++r) {
      const std::int64_t i = first + r * teams.count() + teams.team(at);
      if (notes && i < count) moves.note(i, from[r]);
    }
    teams.forWords(at, [&](std::int64_t word) {
      Word values[kRowsAtOnce];
      SHARDLENS_UNROLLED
      for (int r = 0; r < kRowsAtOnce; ++r) {
        values[r] = from[r] != nullptr ? readWord(from[r] + word) : Word{};
      }
      SHARDLENS_UNROLLED
      for (int r = 0; r < kRowsAtOnce; ++r) {
        if (to[r] != nullptr) writeWord(to[r] + word, values[r]);
      }
    });
  }
}

// Returns the address of an id's row, or null if the shard does not have it.
template <class Word, class Id>
SHARDLENS_HOST_DEVICE const Word* rowOf(const Word* table, RowRange rows, std::int64_t words,
                                        Id id) {
  const std::uint64_t row = rowInShard(id, rows);
  return isOwned(row, rows) ? table + static_cast<std::int64_t>(row) * words : nullptr;
}

// The moves of a maskedLookup() for moveRows().
template <class Word, class Id>
struct MaskedLookup {
  const Word* table;
  RowRange rows;
  std::int64_t words;
  const Id* ids;
  Word* out;
  std::uint8_t* mask;

  SHARDLENS_HOST_DEVICE const Word* from(std::int64_t i) const {
    return rowOf(table, rows, words, ids[i]);
  }
  SHARDLENS_HOST_DEVICE Word* to(std::int64_t i) const { return out + i * words; }
  SHARDLENS_HOST_DEVICE void note(std::int64_t i, const Word* row) const {
    if (mask != nullptr) mask[i] = row == nullptr ? 1 : 0;
  }
};

// Returns the number of words of this type in so many bytes.
template <class Word>
std::int64_t wordsIn(std::int64_t bytes) {
  return bytes / static_cast<std::int64_t>(sizeof(Word));
}

// The body of moveRows() as a kernel.
template <int kRowsAtOnce, class Word, class Moves>
struct MoveRows {
  Teams teams;
  std::int64_t count;
  Moves moves;
  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    moveRows<kRowsAtOnce, Word>(at, teams, count, moves);
  }
};

// Queues moveRows() for `count` rows of moves.words words; `what` names the kernel in errors.
template <class Word, class Queue, class Moves>
void moveOn(Queue& queue, std::int64_t count, const Moves& moves, const char* what) {
  const Teams teams = Teams::of(moves.words);
  if (moves.words > kWarp || count < kFewRows) {
    queue.launch(teams.shape(count, 1), MoveRows<1, Word, Moves>{teams, count, moves}, what);
  } else {
    queue.launch(teams.shape(count, 2), MoveRows<2, Word, Moves>{teams, count, moves}, what);
  }
}

// Writes the mask of a lookup in a table whose rows have no bytes.
template <class Id>
struct MaskOnly {
  RowRange rows;
  const Id* ids;
  std::int64_t count;
  std::uint8_t* mask;
  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    for (std::int64_t i = firstItem(at); i < count; i += itemStride(at)) {
      mask[i] = isOwned(rowInShard(ids[i], rows), rows) ? 0 : 1;
    }
  }
};

// Queues maskedLookup(). See StreamQueue for `queue`. Does nothing for no ids.
template <class Queue>
void maskedLookupOn(Queue& queue, const TableShard& shard, const Ids& ids, void* out,
                    std::uint8_t* mask) {
  if (ids.count == 0) return;
  withIds(ids, [&](const auto* data) {
    using Id = std::remove_cvref_t<decltype(*data)>;
    if (shard.rowBytes == 0) {
      if (mask == nullptr) return;
      queue.launch(shapeFor(ids.count), MaskOnly<Id>{shard.rows, data, ids.count, mask}, "mask");
      return;
    }
    const auto bits = bitsOf(shard.data) | bitsOf(out) | static_cast<std::uint64_t>(shard.rowBytes);
    withWord(bits, [&](auto word) {
      using Word = decltype(word);
      const std::int64_t words = wordsIn<Word>(shard.rowBytes);
      if (WarpLookup<Word, Id>::isFor(words, ids.count)) {
        const WarpLookup<Word, Id> lookup{static_cast<const Word*>(shard.data),
                                          shard.rows,
                                          Teams::of(words),
                                          data,
                                          ids.count,
                                          static_cast<Word*>(out),
                                          mask};
        queue.launchGroups(lookup.shape(), lookup, "masked lookup");
        return;
      }
      moveOn<Word>(queue, ids.count,
                   MaskedLookup<Word, Id>{static_cast<const Word*>(shard.data), shard.rows, words,
                                          data, static_cast<Word*>(out), mask},
                   "masked lookup");
    });
  });
}

}  // namespace shardlens::kernels::cuda
