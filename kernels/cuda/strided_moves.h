#pragma once

#include "kernels/cuda/copy.h"
#include "kernels/cuda/grid.h"
#include "kernels/cuda/pieces.h"
#include "kernels/cuda/word.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace shardlens::kernels::cuda {

// Note [Copies of pieces]
// A kernel copies up to 15 pieces of one word size and one Split. A block does one tile of a piece
// at a time. Offsets cost divisions. A thread computes them once for its words of a row
// (Split::Rows), once or twice for 16 bytes, which may end in the next row (Packs), or once per
// word (Words).

// Copies some words of a piece. Specialised for each Split; tilesOf() returns the tiles of a piece,
// and move() does the part of one thread.
template <class Word, Split kSplit>
struct PieceTiles;

template <class Word>
struct PieceTiles<Word, Split::Words> {
  static constexpr int kWordsAtOnce = 4;
  static constexpr std::int64_t kTileWords = kThreads * kWordsAtOnce;

  static std::int64_t tilesOf(const PieceMoves& piece) { return ceilDiv(piece.words, kTileWords); }

  SHARDLENS_HOST_DEVICE static void move(const PieceMoves& piece, std::int64_t tile, int thread) {
    const std::int64_t first = tile * kTileWords + thread;
    Word words[kWordsAtOnce];
    std::int64_t to[kWordsAtOnce];
    SHARDLENS_UNROLLED
    for (int k = 0; k < kWordsAtOnce; ++k) {
      to[k] = -1;
      const std::int64_t word = first + k * kThreads;
      if (word >= piece.words) continue;
      const std::uint64_t row = piece.rowOf(word);
      const auto offsets = piece.offsetsOfRow(row);
      to[k] = offsets.to + piece.columnOf(word, row);
      words[k] =
          readWord(static_cast<const Word*>(piece.from) + offsets.from + piece.columnOf(word, row));
    }
    SHARDLENS_UNROLLED
    for (int k = 0; k < kWordsAtOnce; ++k) {
      if (to[k] >= 0) writeWord(static_cast<Word*>(piece.to) + to[k], words[k]);
    }
  }
};

template <class Word>
struct PieceTiles<Word, Split::Rows> {
  // Words of a lane. 16 bytes suffice to hide the latency; shorter words are more.
  static constexpr int kWordsAtOnce = sizeof(Word) == 16 ? 1 : sizeof(Word) == 8 ? 4 : 8;
  static constexpr int kPartWords = kWordsAtOnce * kWarp;
  static constexpr int kPartsOfTile = kThreads / kWarp;

  static std::int64_t tilesOf(const PieceMoves& piece) {
    return ceilDiv(piece.rows() * static_cast<std::int64_t>(piece.rowParts.by()), kPartsOfTile);
  }

  SHARDLENS_HOST_DEVICE static void move(const PieceMoves& piece, std::int64_t tile, int thread) {
    const auto part = static_cast<std::uint64_t>(tile * kPartsOfTile + thread / kWarp);
    const std::uint64_t row = piece.rowParts.quotient(part);
    const auto partOfRow = static_cast<std::int64_t>(part - row * piece.rowParts.by());
    const std::int64_t first = partOfRow * kPartWords + thread % kWarp;
    if (static_cast<std::int64_t>(row) * piece.rowLength() >= piece.words) return;
    const auto offsets = piece.offsetsOfRow(row);
    const Word* from = static_cast<const Word*>(piece.from) + offsets.from;
    Word* to = static_cast<Word*>(piece.to) + offsets.to;
    Word words[kWordsAtOnce];
    SHARDLENS_UNROLLED
    for (int k = 0; k < kWordsAtOnce; ++k) {
      const std::int64_t column = first + k * kWarp;
      if (column < piece.rowLength()) words[k] = readWord(from + column);
    }
    SHARDLENS_UNROLLED
    for (int k = 0; k < kWordsAtOnce; ++k) {
      const std::int64_t column = first + k * kWarp;
      if (column < piece.rowLength()) writeWord(to + column, words[k]);
    }
  }
};

template <class Word>
struct PieceTiles<Word, Split::Packs> {
  static constexpr int kWordsAtOnce = 16 / sizeof(Word);
  static constexpr std::int64_t kTileWords = kThreads * kWordsAtOnce;

  static std::int64_t tilesOf(const PieceMoves& piece) { return ceilDiv(piece.words, kTileWords); }

  // Rows have at least 16 bytes, so that the words of a thread are in two rows at most.
  SHARDLENS_HOST_DEVICE static void move(const PieceMoves& piece, std::int64_t tile, int thread) {
    const std::int64_t first = tile * kTileWords + thread * kWordsAtOnce;
    const std::int64_t left = piece.words - first;
    if (left <= 0) return;
    const std::uint64_t row = piece.rowOf(first);
    const std::int64_t column = piece.columnOf(first, row);
    const std::int64_t inRow = piece.rowLength() - column;  // words of the first row
    const Word* const here =
        static_cast<const Word*>(piece.from) + piece.offsetsOfRow(row).from + column;
    const Word* next = here;  // word k of the second row is at next + k
    if (inRow < kWordsAtOnce && inRow < left) {
      next = static_cast<const Word*>(piece.from) + piece.offsetsOfRow(row + 1).from - inRow;
    }
    Pack<Word, kWordsAtOnce> words;
    SHARDLENS_UNROLLED
    for (int k = 0; k < kWordsAtOnce; ++k) {
      words.element[k] = k < left ? readWord((k < inRow ? here : next) + k) : Word{};
    }
    Word* const to = static_cast<Word*>(piece.to) + first;
    if (left >= kWordsAtOnce) {
      writePack(reinterpret_cast<Pack<Word, kWordsAtOnce>*>(to), words);
      return;
    }
    SHARDLENS_UNROLLED
    for (int k = 0; k < kWordsAtOnce; ++k) {
      if (k < left) to[k] = words.element[k];
    }
  }
};

// See Note [Bodies of kernels] and Note [Copies of pieces].
template <class Word, Split kSplit>
struct MovePieces {
  PieceBatch batch;

  SHARDLENS_HOST_DEVICE void operator()(const Place& at) const {
    int which = 0;
    for (std::int64_t tile = at.block; tile < batch.firstTile[batch.count]; tile += at.blocks) {
      while (tile >= batch.firstTile[which + 1]) ++which;
      PieceTiles<Word, kSplit>::move(batch.pieces[which], tile - batch.firstTile[which], at.thread);
    }
  }
};

// Copies pieces of one word size and Split.
template <class Word, Split kSplit, class Queue>
void movePiecesOn(Queue& queue, const std::vector<StridedPiece>& pieces) {
  constexpr std::int64_t kPartWords = PieceTiles<Word, Split::Rows>::kPartWords;
  for (std::size_t first = 0; first < pieces.size(); first += PieceBatch::kMostPieces) {
    const std::size_t end = std::min(pieces.size(), first + PieceBatch::kMostPieces);
    std::vector<PieceMoves> some;
    for (std::size_t i = first; i < end; ++i) {
      some.push_back(PieceMoves::of(pieces[i], sizeof(Word), kPartWords));
    }
    const auto batch = PieceBatch::of(some, PieceTiles<Word, kSplit>::tilesOf);
    queue.launch(shapeFor(batch.tiles(), 1), MovePieces<Word, kSplit>{batch}, "copy of pieces");
  }
}

// As movePiecesOn(), with a run-time Split.
template <class Word, class Queue>
void moveSplitOn(Queue& queue, Split split, const std::vector<StridedPiece>& pieces) {
  switch (split) {
    case Split::Packs:
      if constexpr (sizeof(Word) < 16) movePiecesOn<Word, Split::Packs>(queue, pieces);
      return;
    case Split::Rows:
      return movePiecesOn<Word, Split::Rows>(queue, pieces);
    case Split::Words:
      return movePiecesOn<Word, Split::Words>(queue, pieces);
  }
}

// Queues copyPieces(). See StreamQueue for `queue`.
template <class Queue>
void copyPiecesOn(Queue& queue, std::span<const StridedPiece> pieces) {
  constexpr Split kSplits[] = {Split::Packs, Split::Rows, Split::Words};
  std::vector<StridedPiece> sorted[5]
                                  [std::size(kSplits)];  // by the log2 of the word size, and Split
  for (const auto& piece : pieces) {
    if (!piece.layout.isPossible()) {
      throw std::runtime_error("copy of pieces: got a layout of too many dimensions, expected " +
                               std::to_string(StridedCopy::kMostDims) + " at most");
    }
    if (piece.layout.bytes() == 0) continue;
    withWord(bitsOfAll(piece), [&](auto word) {
      const Split split = splitOf(piece, sizeof word);
      sorted[std::bit_width(sizeof word) - 1][static_cast<std::size_t>(split)].push_back(piece);
    });
  }
  for (std::size_t log2 = 0; log2 < std::size(sorted); ++log2) {
    for (const Split split : kSplits) {
      const auto& some = sorted[log2][static_cast<std::size_t>(split)];
      withWord(std::uint64_t{1} << log2,
               [&](auto word) { moveSplitOn<decltype(word)>(queue, split, some); });
    }
  }
}

}  // namespace shardlens::kernels::cuda
