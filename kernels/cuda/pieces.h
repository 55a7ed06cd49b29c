#pragma once

#include "kernels/cuda/copy.h"
#include "kernels/cuda/divisor.h"
#include "kernels/cuda/grid.h"
#include "kernels/cuda/group.h"
#include "kernels/cuda/word.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace shardlens::kernels::cuda {

// How threads divide a piece. splitOf() selects the first that applies.
enum class Split : std::uint8_t {
  Packs,  // a thread writes 16 contiguous bytes: shorter words whose target is contiguous
  Rows,   // a warp copies a part of one row: rows of 32 words and more
  Words,  // a thread copies single words
};

// The words of a StridedCopy, numbered in element order.
struct PieceMoves {
  struct Dim {
    Divisor size;
    std::int64_t to;  // strides are in words
    std::int64_t from;
  };

  void* to;
  const void* from;
  std::int64_t words;
  Divisor rowWords;
  Divisor rowParts;  // the parts of a row that each are done by a warp, for Split::Rows
  int dimCount;
  Dim dims[StridedCopy::kMostDims];

  // Converts a piece to words of `wordBytes`, which must divide its addresses and strides.
  // `partWords` is the length of the parts of a row for Split::Rows.
  static PieceMoves of(const StridedPiece& piece, std::int64_t wordBytes, std::int64_t partWords) {
    const std::int64_t rowWords = piece.layout.rowBytes() / wordBytes;
    PieceMoves moves{.to = piece.to,
                     .from = piece.from,
                     .words = piece.layout.bytes() / wordBytes,
                     .rowWords = Divisor(static_cast<std::uint64_t>(rowWords)),
                     .rowParts = Divisor(static_cast<std::uint64_t>(ceilDiv(rowWords, partWords))),
                     .dimCount = 0,
                     .dims = {}};
    for (const auto& dim : piece.layout.dims()) {
      moves.dims[moves.dimCount++] = {Divisor(static_cast<std::uint64_t>(dim.size)),
                                      dim.to / wordBytes, dim.from / wordBytes};
    }
    return moves;
  }

  SHARDLENS_HOST_DEVICE std::int64_t rowLength() const {
    return static_cast<std::int64_t>(rowWords.by());
  }
  std::int64_t rows() const { return words / rowLength(); }

  // The offsets of a row or a word in words.
  struct Offsets {
    std::int64_t to;
    std::int64_t from;
  };
  // Returns the offsets of the first word of a row.
  SHARDLENS_HOST_DEVICE Offsets offsetsOfRow(std::uint64_t row) const {
    Offsets offsets{0, 0};
    SHARDLENS_UNROLLED
    for (int d = 0; d < static_cast<int>(StridedCopy::kMostDims); ++d) {
      if (d >= dimCount) break;
      const bool isLast = d + 1 == dimCount;
      const std::uint64_t above = isLast ? 0 : dims[d].size.quotient(row);
      const auto at = static_cast<std::int64_t>(row - above * dims[d].size.by());
      offsets.to += at * dims[d].to;
      offsets.from += at * dims[d].from;
      row = above;
    }
    return offsets;
  }
  // Return the row of a word, and the word's index in that row.
  SHARDLENS_HOST_DEVICE std::uint64_t rowOf(std::int64_t word) const {
    return rowWords.quotient(static_cast<std::uint64_t>(word));
  }
  SHARDLENS_HOST_DEVICE std::int64_t columnOf(std::int64_t word, std::uint64_t row) const {
    return word - static_cast<std::int64_t>(row * rowWords.by());
  }
};

// The pieces of one launch. Blocks take their tiles one after another.
struct PieceBatch {
  static constexpr int kMostPieces = 15;

  PieceMoves pieces[kMostPieces];
  std::int64_t firstTile[kMostPieces + 1];  // first tile of each piece, then the number of tiles
  int count;

  // tilesOf returns the tiles of a piece.
  template <class TilesOf>
  static PieceBatch of(std::span<const PieceMoves> some, TilesOf tilesOf) {
    PieceBatch batch{};
    for (const auto& piece : some) {
      batch.pieces[batch.count] = piece;
      batch.firstTile[batch.count + 1] = batch.firstTile[batch.count] + tilesOf(piece);
      ++batch.count;
    }
    return batch;
  }
  std::int64_t tiles() const { return firstTile[count]; }
};

// Returns the or of all addresses and strides of a piece, which gives the alignment of its words.
inline std::uint64_t bitsOfAll(const StridedPiece& piece) {
  auto bits =
      bitsOf(piece.to) | bitsOf(piece.from) | static_cast<std::uint64_t>(piece.layout.rowBytes());
  for (const auto& dim : piece.layout.dims()) {
    bits |= static_cast<std::uint64_t>(dim.to) | static_cast<std::uint64_t>(dim.from);
  }
  return bits;
}

// Returns true if the target has no gaps and starts at a multiple of 16 bytes.
inline bool isTargetInPacks(const StridedPiece& piece) {
  std::int64_t contiguous = piece.layout.rowBytes();
  for (const auto& dim : piece.layout.dims()) {
    if (dim.to != contiguous) return false;
    contiguous *= dim.size;
  }
  return bitsOf(piece.to) % 16 == 0;
}

// Returns how threads divide the piece when it is moved in words of this size.
inline Split splitOf(const StridedPiece& piece, std::int64_t wordBytes) {
  const bool hasPacks = wordBytes < 16 && piece.layout.rowBytes() >= 16;
  if (hasPacks && isTargetInPacks(piece)) return Split::Packs;
  return piece.layout.rowBytes() / wordBytes >= kWarp ? Split::Rows : Split::Words;
}

}  // namespace shardlens::kernels::cuda
