#pragma once

#include "kernels/cuda/block_copies.h"
#include "kernels/cuda/copy.h"
#include "kernels/cuda/id_search.h"
#include "kernels/cuda/loss_grads.h"
#include "kernels/cuda/loss_sums.h"
#include "kernels/cuda/reductions.h"
#include "kernels/cuda/row_moves.h"
#include "kernels/cuda/row_sums.h"
#include "kernels/cuda/strided_moves.h"
#include "tests/kernels/processor_queue.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardlens::kernels::cuda {

// A place to test kernels of the GPU; OnGpu has the same functions. Runs the threads of a grid in
// turn on the processor, so it needs no GPU.
struct OnProcessor {
  static std::optional<std::string> whyNot() { return std::nullopt; }

  // Host memory that starts `offset` bytes after an aligned address, filled from `from` if not
  // null.
  class Memory {
   public:
    Memory(const void* from, std::size_t bytes, std::size_t offset = 0)
        : bytes_(bytes), offset_(offset), words_((bytes + offset) / 16 + 1) {
      if (from != nullptr && bytes > 0) std::memcpy(data(), from, bytes);
    }
    void* data() const {
      return const_cast<char*>(reinterpret_cast<const char*>(words_.data())) + offset_;
    }
    void read(void* into) const {
      if (bytes_ > 0) std::memcpy(into, data(), bytes_);
    }

   private:
    std::size_t bytes_;
    std::size_t offset_;
    std::vector<Word16> words_;
  };

  // So few blocks that in small cases each block processes several tiles.
  static ProcessorQueue queue() { return {.mostBlocks = 3}; }

  static void maskedLookup(const TableShard& shard, const Ids& ids, void* out, std::uint8_t* mask) {
    auto q = queue();
    maskedLookupOn(q, shard, ids, out, mask);
  }
  static void scatterAddRows(const Ids& ids, const RowGrads& grads, RowRange rows,
                             std::optional<std::int64_t> paddingIdx, void* out) {
    auto q = queue();
    scatterAddRowsOn(q, ids, grads, rows, paddingIdx, out);
  }
  // The two paths of scatterAddRows(), each for any number of ids.
  static void scatterAddLinked(const Ids& ids, const RowGrads& grads, RowRange rows,
                               std::optional<std::int64_t> paddingIdx, void* out) {
    auto q = queue();
    scatterAddLinkedOn(q, ids, grads, rows, paddingIdx, out);
  }
  static void scatterAddSorted(const Ids& ids, const RowGrads& grads, RowRange rows,
                               std::optional<std::int64_t> paddingIdx, void* out) {
    auto q = queue();
    scatterAddSortedOn(q, ids, grads, rows, paddingIdx, out);
  }
  static void copyPieces(std::span<const StridedPiece> pieces) {
    auto q = queue();
    copyPiecesOn(q, pieces);
  }
  static void copyBlocks(std::span<const BlockCopy> copies) {
    auto q = queue();
    copyBlocksOn(q, copies);
  }
  static std::optional<std::int64_t> firstBadId(const Ids& ids, std::int64_t tableRows) {
    auto q = queue();
    Position first = BadIds::kNone;
    std::int32_t isBad = 0;
    findOutsideOn(q, ids, tableRows, {&first, &isBad});
    if (isBad == 0) return std::nullopt;
    return static_cast<std::int64_t>(first);
  }
  static void reduceTerms(const TermsOnGpu& reduction, ReduceOp op, double factor) {
    auto q = queue();
    reduceTermsOn(q, reduction, op, factor);
  }
  static void sumRows(const LogitShard& shard, const LossTarget& target, RowRange rows,
                      const RowSums& out) {
    auto q = queue();
    sumRowsOn(q, shard, target, rows, out);
  }
  static void gradRows(const LogitShard& shard, const LossTarget& target, RowRange rows,
                       const RowSums& sums, const LossGrads& grads, void* out) {
    auto q = queue();
    gradRowsOn(q, shard, target, rows, sums, grads, out);
  }
};

}  // namespace shardlens::kernels::cuda
