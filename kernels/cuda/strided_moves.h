#pragma once

#include "kernels/cuda/copy.h"
#include "kernels/cuda/divisor.h"
#include "kernels/cuda/grid.h"
#include "kernels/cuda/word.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace shardlens::kernels::cuda {

// A thread has this many words of a piece in flight.
inline constexpr int kWordsAtOnce = 4;
inline constexpr std::int64_t kTileWords = kThreads * kWordsAtOnce;

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
  int dimCount;
  Dim dims[StridedCopy::kMostDims];

  static PieceMoves of(const StridedPiece& piece, std::int64_t wordBytes) {
    PieceMoves moves{
        .to = piece.to,
        .from = piece.from,
        .words = piece.layout.bytes() / wordBytes,
        .rowWords = Divisor(static_cast<std::uint64_t>(piece.layout.rowBytes() / wordBytes)),
        .dimCount = 0,
        .dims = {}};
    for (const auto& dim : piece.layout.dims()) {
      moves.dims[moves.dimCount++] = {Divisor(static_cast<std::uint64_t>(dim.size)),
                                      dim.to / wordBytes, dim.from / wordBytes};
    }
    return moves;
  }

  // Calls f(offset written, offset read) for a word; both are in words.
  template <class F>
  SHARDLENS_HOST_DEVICE void place(std::int64_t word, F f) const {
    std::uint64_t left = rowWords.quotient(static_cast<std::uint64_t>(word));
    std::int64_t toAt = word - static_cast<std::int64_t>(left * rowWords.by());
    std::int64_t fromAt = toAt;
    SHARDLENS_UNROLLED
    for (int d = 0; d < static_cast<int>(StridedCopy::kMostDims); ++d) {
      if (d >= dimCount) break;
      const bool isLast = d + 1 == dimCount;
      const std::uint64_t above = isLast ? 0 : dims[d].size.quotient(left);
      const auto at = static_cast<std::int64_t>(left - above * dims[d].size.by());
      toAt += at * dims[d].to;
      fromAt += at * dims[d].from;
      left = above;
    }
    f(toAt, fromAt);
  }
};

// The pieces of one launch. Blocks take their tiles one after another.
struct PieceBatch {
  static constexpr int kMostPieces = 15;

  PieceMoves pieces[kMostPieces];
  std::int64_t firstTile[kMostPieces + 1];  // first tile of each piece, then the number of tiles
  int count;

  static PieceBatch of(std::span<const PieceMoves> some) {
    PieceBatch batch{};
    for (const auto& piece : some) {
      batch.pieces[batch.count] = piece;
      batch.firstTile[batch.count + 1] =
          batch.firstTile[batch.count] + ceilDiv(piece.words, kTileWords);
      ++batch.count;
    }
    return batch;
  }
  std::int64_t tiles() const { return firstTile[count]; }
};

// See Note [Bodies of kernels].
template <class Word>
SHARDLENS_HOST_DEVICE void movePieces(const Place& at, const PieceBatch& batch) {
  int which = 0;
  for (std::int64_t tile = at.block; tile < batch.firstTile[batch.count]; tile += at.blocks) {
    while (tile >= batch.firstTile[which + 1]) ++which;
    const PieceMoves& piece = batch.pieces[which];
    const std::int64_t first = (tile - batch.firstTile[which]) * kTileWords + at.thread;
    Word words[kWordsAtOnce];
    std::int64_t to[kWordsAtOnce];
    SHARDLENS_UNROLLED
    for (int k = 0; k < kWordsAtOnce; ++k) {
      to[k] = -1;
      const std::int64_t word = first + k * kThreads;
      if (word >= piece.words) continue;
      piece.place(word, [&](std::int64_t toAt, std::int64_t fromAt) {
        to[k] = toAt;
        words[k] = readWord(static_cast<const Word*>(piece.from) + fromAt);
      });
    }
    SHARDLENS_UNROLLED
    for (int k = 0; k < kWordsAtOnce; ++k) {
      if (to[k] >= 0) static_cast<Word*>(piece.to)[to[k]] = words[k];
    }
  }
}

template <class Word>
struct MovePieces {
  PieceBatch batch;
  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const { movePieces<Word>(at, batch); }
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

template <class Queue>
void copyPiecesOn(Queue& queue, std::span<const StridedPiece> pieces) {
  // Pieces by the base-2 logarithm of their word size.
  std::vector<PieceMoves> ofWord[5];
  for (const auto& piece : pieces) {
    if (!piece.layout.isPossible()) {
      throw std::runtime_error("copy of pieces: got a layout of too many dimensions, expected " +
                               std::to_string(StridedCopy::kMostDims) + " at most");
    }
    if (piece.layout.bytes() == 0) continue;
    withWord(bitsOfAll(piece), [&](auto word) {
      ofWord[std::bit_width(sizeof(word)) - 1].push_back(PieceMoves::of(piece, sizeof(word)));
    });
  }
  for (std::size_t log2 = 0; log2 < std::size(ofWord); ++log2) {
    const std::span<const PieceMoves> all = ofWord[log2];
    for (std::size_t first = 0; first < all.size(); first += PieceBatch::kMostPieces) {
      const auto batch = PieceBatch::of(
          all.subspan(first, std::min<std::size_t>(all.size() - first, PieceBatch::kMostPieces)));
      withWord(std::uint64_t{1} << log2, [&](auto word) {
        queue.launch(shapeFor(batch.tiles(), 1), MovePieces<decltype(word)>{batch},
                     "copy of pieces");
      });
    }
  }
}

}  // namespace shardlens::kernels::cuda
