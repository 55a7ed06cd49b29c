#pragma once

#include "kernels/arithmetic.h"
#include "kernels/cuda/grid.h"
#include "kernels/cuda/linked_ids.h"
#include "kernels/cuda/long_runs.h"
#include "kernels/cuda/short_runs.h"
#include "kernels/cuda/sorted_ids.h"
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
// Few ids are linked by row, see Note [Linked ids]. More ids are stably sorted by row. The
// gradients of a row are then added in registers, in the order of the CPU kernel: runs of up to 8
// ids by a team of lanes each (AddShortRuns), longer ones by blocks that read far ahead
// (AddLongRuns). The result is therefore bitwise that of the CPU and deterministic. A row that most
// ids name takes as long as its sequential additions.

// See Note [Bodies of kernels]. Writes the row of each id and its position. Sets the number of long
// runs to 0.
template <class Id>
struct NameRows {
  RowNames<Id> ids;
  std::uint32_t* names;
  std::uint32_t* positions;
  std::uint32_t* longRunCount;
  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    if (firstItem(at) == 0) *longRunCount = 0;
    for (std::int64_t i = firstItem(at); i < ids.count; i += itemStride(at)) {
      names[i] = ids.rowOf(i);
      positions[i] = static_cast<std::uint32_t>(i);
    }
  }
};

// Throws std::runtime_error if `got` is 2^31 - 1 or more.
inline void refuseTooMany(const char* what, std::int64_t got) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
  if (got <= kMost) return;
  throw std::runtime_error("scatter-add of rows: got " + std::to_string(got) + " " + what +
                           ", expected at most " + std::to_string(kMost));
}

// Sorts ids by row on a queue and owns the result. See Note [Sums in the order of the ids].
template <class Queue>
class Sorting {
 public:
  Sorting(Queue& queue, const Ids& ids, RowRange rows, std::optional<std::int64_t> paddingIdx)
      : count_(checked(ids, rows)),
        none_(static_cast<std::uint32_t>(rows.count)),
        names_(queue.scratch(bytes())),
        positions_(queue.scratch(bytes())),
        sortedNames_(queue.scratch(bytes())),
        sortedPositions_(queue.scratch(bytes())),
        longRuns_(queue.scratch(sizeof(std::uint32_t) +
                                static_cast<std::size_t>(LongRuns::most(count_)) * sizeof(Run))) {
    const Padding padding{paddingIdx.has_value(), paddingIdx.value_or(0)};
    withIds(ids, [&](const auto* data) {
      using Id = std::remove_cvref_t<decltype(*data)>;
      queue.launch(shapeFor(count_),
                   NameRows<Id>{{data, count_, rows, padding},
                                names_.numbers(),
                                positions_.numbers(),
                                longRuns().count},
                   "rows of ids");
    });
    queue.sortByKey(names_.numbers(), sortedNames_.numbers(), positions_.numbers(),
                    sortedPositions_.numbers(), count_, static_cast<int>(std::bit_width(none_)));
  }

  SortedIds ids() const {
    return {sortedNames_.numbers(), sortedPositions_.numbers(), count_, none_};
  }
  // Returns an empty list with room for all long runs of these ids.
  LongRuns longRuns() const {
    return {longRuns_.numbers(), reinterpret_cast<Run*>(longRuns_.numbers() + 1)};
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
  typename Queue::Memory names_, positions_, sortedNames_, sortedPositions_, longRuns_;
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

// Queues the additions of sorted ids: the short runs, then the long ones that these list.
template <class Queue, class T, int kCount>
void addRowsOn(Queue& queue, const SortedIds& ids, const LongRuns& longRuns,
               const Pack<T, kCount>* grads, const RowTable<Pack<T, kCount>>& out) {
  const AddShortRuns<T, kCount> shortOnes{AddShortRuns<T, kCount>::teamsOf(out.packs), ids, grads,
                                          out, longRuns};
  queue.launchGroups(shortOnes.shape(), shortOnes, "scatter-add of short runs");
  const AddLongRuns<T, kCount> longOnes{ids, grads, out, longRuns};
  queue.launchGroups(longOnes.shape(), longOnes, "scatter-add of long runs");
}

// See Note [Linked ids].
template <class Queue, class Id, class T, int kCount>
void addLinkedOn(Queue& queue, const RowNames<Id>& names, const Pack<T, kCount>* grads,
                 const RowTable<Pack<T, kCount>>& out) {
  const auto bytesOf = [](std::int64_t numbers) {
    return static_cast<std::size_t>(numbers) * sizeof(std::uint32_t);
  };
  const auto heads = queue.scratch(bytesOf(names.rows.count));
  const auto next = queue.scratch(bytesOf(names.count));
  const auto rows = queue.scratch(bytesOf(names.count));  // of the ids of long runs
  const auto positions = queue.scratch(bytesOf(names.count));
  const auto runs = queue.scratch(bytesOf(2 + 2 * LongRuns::most(names.count)));
  std::uint32_t* const idCount = runs.numbers() + 1;
  const LongRuns longRuns{runs.numbers(), reinterpret_cast<Run*>(runs.numbers() + 2)};
  queue.launch(shapeFor(names.rows.count),
               ClearLinks{heads.numbers(), names.rows.count, longRuns.count, idCount},
               "empty lists of ids");
  queue.launch(shapeFor(names.count), LinkIds<Id>{names, heads.numbers(), next.numbers()},
               "lists of ids");
  const AddLinked<T, kCount, Id> shortOnes{names, heads.numbers(), next.numbers(), grads,
                                           out,   longRuns};
  queue.launchGroups(shortOnes.shape(), shortOnes, "scatter-add of linked ids");
  const ListLongRuns<Id> listing{names, longRuns, idCount, rows.numbers(), positions.numbers()};
  queue.launchGroups(listing.shape(), listing, "long runs of ids");
  const SortedIds listed{rows.numbers(), positions.numbers(), names.count, kNoLink};
  const AddLongRuns<T, kCount> longOnes{listed, grads, out, longRuns};
  queue.launchGroups(longOnes.shape(), longOnes, "scatter-add of long runs");
}

// scatterAddRows() for some ids, rows and a width: with linked ids, and with sorted ids.
template <class Queue>
void scatterAddLinkedOn(Queue& queue, const Ids& ids, const RowGrads& grads, RowRange rows,
                        std::optional<std::int64_t> paddingIdx, void* out) {
  const Padding padding{paddingIdx.has_value(), paddingIdx.value_or(0)};
  withIds(ids, [&](const auto* data) {
    using Id = std::remove_cvref_t<decltype(*data)>;
    withPack(grads, out, [&]<class P>(P, std::int64_t packs) {
      addLinkedOn(queue, RowNames<Id>{data, ids.count, rows, padding},
                  static_cast<const P*>(grads.data), RowTable<P>{static_cast<P*>(out), packs});
    });
  });
}
template <class Queue>
void scatterAddSortedOn(Queue& queue, const Ids& ids, const RowGrads& grads, RowRange rows,
                        std::optional<std::int64_t> paddingIdx, void* out) {
  const Sorting<Queue> sorting(queue, ids, rows, paddingIdx);
  withPack(grads, out, [&]<class P>(P, std::int64_t packs) {
    addRowsOn(queue, sorting.ids(), sorting.longRuns(), static_cast<const P*>(grads.data),
              RowTable<P>{static_cast<P*>(out), packs});
  });
}

// Queues scatterAddRows(). See StreamQueue for `queue`. Does nothing for no ids, rows or width.
template <class Queue>
void scatterAddRowsOn(Queue& queue, const Ids& ids, const RowGrads& grads, RowRange rows,
                      std::optional<std::int64_t> paddingIdx, void* out) {
  if (ids.count == 0 || grads.width == 0 || rows.count == 0) return;
  if (areLinked(ids.count, rows.count)) {
    scatterAddLinkedOn(queue, ids, grads, rows, paddingIdx, out);
  } else {
    scatterAddSortedOn(queue, ids, grads, rows, paddingIdx, out);
  }
}

}  // namespace shardlens::kernels::cuda
