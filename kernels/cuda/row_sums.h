#pragma once

#include "kernels/arithmetic.h"
#include "kernels/cuda/grid.h"
#include "kernels/cuda/word.h"
#include "kernels/owned.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace shardlens::kernels::cuda {

// Note [Sums in the order of the ids]
// Ids are stably sorted by row. One team then adds all gradients of a row in registers, in the
// order of the CPU kernel. The result is therefore bitwise that of the CPU and deterministic. A row
// that most ids name takes as long as its sequential additions; the gradients are read several at a
// time.

inline constexpr int kGradsAtOnce = 8;

struct Padding {
  bool given;
  std::int64_t id;
};

// See Note [Bodies of kernels]. Writes the row of each id, or `rows.count` for an id that adds
// nothing, and its position.
template <class Id>
SHARDLENS_HOST_DEVICE void nameRows(const Place& at, const Id* ids, std::int64_t count,
                                    RowRange rows, Padding padding, std::uint32_t* names,
                                    std::uint32_t* positions) {
  for (std::int64_t i = firstItem(at); i < count; i += itemStride(at)) {
    const std::uint64_t row = rowInShard(ids[i], rows);
    const bool isNone = !isOwned(row, rows) || (padding.given && ids[i] == padding.id);
    names[i] = static_cast<std::uint32_t>(isNone ? rows.count : static_cast<std::int64_t>(row));
    positions[i] = static_cast<std::uint32_t>(i);
  }
}

// The ids sorted by row.
struct SortedIds {
  const std::uint32_t* rows;
  const std::uint32_t* positions;
  std::int64_t count;
  std::uint32_t none;  // the row number of ids that add nothing; they come last

  SHARDLENS_HOST_DEVICE bool isFirstOfRow(std::int64_t i) const {
    return rows[i] != none && (i == 0 || rows[i - 1] != rows[i]);
  }
};

// The positions of the next gradients to add.
struct Batch {
  std::uint32_t positions[kGradsAtOnce];
  int count;

  // Returns the ids from the i-th on that name this row, at most kGradsAtOnce.
  SHARDLENS_HOST_DEVICE static Batch of(const SortedIds& ids, std::int64_t i, std::uint32_t row) {
    Batch batch{};
    SHARDLENS_UNROLLED
    for (int k = 0; k < kGradsAtOnce; ++k) {
      if (i + k >= ids.count || ids.rows[i + k] != row) continue;
      batch.positions[k] = ids.positions[i + k];
      batch.count = k + 1;
    }
    return batch;
  }
};

// Writes 1 at the position of each id that is the first to name its row, else 0, and 0 after the
// last one. Their prefix sums number the rows in the order in which the ids name them.
SHARDLENS_HOST_DEVICE inline void markFirst(const Place& at, const SortedIds& ids,
                                            std::uint32_t* marks) {
  for (std::int64_t i = firstItem(at); i < ids.count; i += itemStride(at)) {
    marks[ids.positions[i]] = ids.isFirstOfRow(i) ? 1 : 0;
    if (i == 0) marks[ids.count] = 0;
  }
}

// Writes the touched rows at the indices that the prefix sums of the marks give.
SHARDLENS_HOST_DEVICE inline void listTouched(const Place& at, const SortedIds& ids,
                                              std::int64_t firstRow, const std::uint32_t* places,
                                              std::int64_t* rows) {
  for (std::int64_t i = firstItem(at); i < ids.count; i += itemStride(at)) {
    if (!ids.isFirstOfRow(i)) continue;
    rows[places[ids.positions[i]]] = firstRow + static_cast<std::int64_t>(ids.rows[i]);
  }
}

// The target of sums, either a table of all rows, to which they are added, ...
template <class P>
struct DenseSums {
  P* out;
  std::int64_t packs;

  SHARDLENS_HOST_DEVICE P* place(const SortedIds& ids, std::int64_t i) const {
    return out + static_cast<std::int64_t>(ids.rows[i]) * packs;
  }
  SHARDLENS_HOST_DEVICE P begin(const P* place) const { return *place; }
};

// ... or a list of the touched rows, which starts empty.
template <class P>
struct TouchedSums {
  P* values;
  std::int64_t packs;
  const std::uint32_t* places;

  SHARDLENS_HOST_DEVICE P* place(const SortedIds& ids, std::int64_t i) const {
    return values + static_cast<std::int64_t>(places[ids.positions[i]]) * packs;
  }
  SHARDLENS_HOST_DEVICE P begin(const P*) const { return {}; }
};

// Each team takes one sorted id at a time. If the id is the first of its row, the team adds the
// whole row.
template <class T, int kCount, class Sums>
SHARDLENS_HOST_DEVICE void addRows(const Place& at, const Teams& teams, const SortedIds& ids,
                                   const Pack<T, kCount>* grads, const Sums& sums) {
  using P = Pack<T, kCount>;
  const std::int64_t stride = at.blocks * teams.count();
  for (std::int64_t i = at.block * teams.count() + teams.team(at); i < ids.count; i += stride) {
    if (!ids.isFirstOfRow(i)) continue;
    const std::uint32_t row = ids.rows[i];
    P* const place = sums.place(ids, i);
    teams.forWords(at, [&](std::int64_t word) {
      P sum = sums.begin(place + word);
      Batch batch = Batch::of(ids, i, row);
      for (std::int64_t next = i + kGradsAtOnce; batch.count > 0; next += kGradsAtOnce) {
        P terms[kGradsAtOnce] = {};
        SHARDLENS_UNROLLED
        for (int k = 0; k < kGradsAtOnce; ++k) {
          if (k >= batch.count) continue;
          terms[k] = grads[static_cast<std::int64_t>(batch.positions[k]) * teams.words + word];
        }
        // Prefetched while the gradients are loading.
        const bool isFull = batch.count == kGradsAtOnce;
        const Batch after = isFull ? Batch::of(ids, next, row) : Batch{};
        SHARDLENS_UNROLLED
        for (int k = 0; k < kGradsAtOnce; ++k) {
          if (k >= batch.count) continue;
          SHARDLENS_UNROLLED
          for (int e = 0; e < kCount; ++e) {
            sum.element[e] = roundedSum(sum.element[e], terms[k].element[e]);
          }
        }
        batch = after;
      }
      place[word] = sum;
    });
  }
}

template <class Id>
struct NameRows {
  const Id* ids;
  std::int64_t count;
  RowRange rows;
  Padding padding;
  std::uint32_t* names;
  std::uint32_t* positions;
  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    nameRows(at, ids, count, rows, padding, names, positions);
  }
};

struct MarkFirst {
  SortedIds ids;
  std::uint32_t* marks;
  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const { markFirst(at, ids, marks); }
};

struct ListTouched {
  SortedIds ids;
  std::int64_t firstRow;
  const std::uint32_t* places;
  std::int64_t* rows;
  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    listTouched(at, ids, firstRow, places, rows);
  }
};

template <class T, int kCount, class Sums>
struct AddRows {
  Teams teams;
  SortedIds ids;
  const Pack<T, kCount>* grads;
  Sums sums;
  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    addRows(at, teams, ids, grads, sums);
  }
};

// Throws std::runtime_error if `got` is 2^31 - 1 or more.
inline void refuseTooMany(const char* what, std::int64_t got) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
  if (got <= kMost) return;
  throw std::runtime_error("scatter-add of rows: got " + std::to_string(got) + " " + what +
                           ", expected at most " + std::to_string(kMost));
}

// Sorts ids by row on a queue. See Note [Sums in the order of the ids].
template <class Queue>
class Sorting {
 public:
  Sorting(Queue& queue, const Ids& ids, RowRange rows, std::optional<std::int64_t> paddingIdx)
      : count_(checked(ids, rows)),
        none_(static_cast<std::uint32_t>(rows.count)),
        names_(queue.scratch(bytes())),
        positions_(queue.scratch(bytes())),
        sortedNames_(queue.scratch(bytes())),
        sortedPositions_(queue.scratch(bytes())) {
    const Padding padding{paddingIdx.has_value(), paddingIdx.value_or(0)};
    withIds(ids, [&](const auto* data) {
      using Id = std::remove_cvref_t<decltype(*data)>;
      queue.launch(
          shapeFor(count_),
          NameRows<Id>{data, count_, rows, padding, names_.numbers(), positions_.numbers()},
          "rows of ids");
    });
    queue.sortByKey(names_.numbers(), sortedNames_.numbers(), positions_.numbers(),
                    sortedPositions_.numbers(), count_, static_cast<int>(std::bit_width(none_)));
  }

  SortedIds ids() const {
    return {sortedNames_.numbers(), sortedPositions_.numbers(), count_, none_};
  }

 private:
  static std::int64_t checked(const Ids& ids, RowRange rows) {
    refuseTooMany("ids", ids.count);
    refuseTooMany("rows of a shard", rows.count);
    return ids.count;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(std::uint32_t); }

  std::int64_t count_;
  std::uint32_t none_;
  typename Queue::Memory names_, positions_, sortedNames_, sortedPositions_;
};

// Calls f with the largest pack of gradient elements that the row size and these addresses allow,
// and the number of packs per row.
template <class F>
void withPack(const RowGrads& grads, const void* sums, F f) {
  withFloats(grads.type, [&](auto element) {
    using T = decltype(element);
    constexpr int kMost = 16 / sizeof(T);
    const auto rowBytes = static_cast<std::uint64_t>(grads.width) * sizeof(T);
    if ((bitsOf(grads.data) | bitsOf(sums) | rowBytes) % 16 == 0) {
      f(Pack<T, kMost>{}, grads.width / kMost);
    } else {
      f(Pack<T, 1>{}, grads.width);
    }
  });
}

template <class Queue, class T, int kCount, class Sums>
void addRowsOn(Queue& queue, const SortedIds& ids, const Pack<T, kCount>* grads, std::int64_t packs,
               const Sums& sums) {
  const Teams teams = Teams::of(packs);
  queue.launch(teams.shape(ids.count, 1), AddRows<T, kCount, Sums>{teams, ids, grads, sums},
               "scatter-add of rows");
}

template <class Queue>
void scatterAddRowsOn(Queue& queue, const Ids& ids, const RowGrads& grads, RowRange rows,
                      std::optional<std::int64_t> paddingIdx, void* out) {
  if (ids.count == 0 || grads.width == 0 || rows.count == 0) return;
  const Sorting<Queue> sorting(queue, ids, rows, paddingIdx);
  withPack(grads, out, [&]<class P>(P, std::int64_t packs) {
    addRowsOn(queue, sorting.ids(), static_cast<const P*>(grads.data), packs,
              DenseSums<P>{static_cast<P*>(out), packs});
  });
}

template <class Queue>
std::int64_t scatterAddTouchedRowsOn(Queue& queue, const Ids& ids, const RowGrads& grads,
                                     RowRange rows, std::optional<std::int64_t> paddingIdx,
                                     const TouchedRows& touched) {
  if (ids.count == 0 || rows.count == 0) return 0;
  const Sorting<Queue> sorting(queue, ids, rows, paddingIdx);
  const auto bytes = static_cast<std::size_t>(ids.count + 1) * sizeof(std::uint32_t);
  const auto marks = queue.scratch(bytes);
  const auto places = queue.scratch(bytes);
  queue.launch(shapeFor(ids.count), MarkFirst{sorting.ids(), marks.numbers()}, "first ids of rows");
  queue.sumUpBefore(marks.numbers(), places.numbers(), ids.count + 1);
  queue.launch(shapeFor(ids.count),
               ListTouched{sorting.ids(), rows.begin, places.numbers(), touched.rows},
               "touched rows");
  withPack(grads, touched.values, [&]<class P>(P, std::int64_t packs) {
    addRowsOn(queue, sorting.ids(), static_cast<const P*>(grads.data), packs,
              TouchedSums<P>{static_cast<P*>(touched.values), packs, places.numbers()});
  });
  std::uint32_t count = 0;
  places.read(&count, sizeof count, bytes - sizeof count);
  return count;
}

}  // namespace shardlens::kernels::cuda
