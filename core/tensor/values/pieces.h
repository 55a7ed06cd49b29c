#pragma once

#include "core/model/shard_geometry.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

// Where a part of a tensor stands in it.
struct Piece {
  explicit Piece(Block block);

  Shape shape;      // of the part
  Shape begin;      // where it stands in one stretch along every dimension
  Block stretches;  // where it does not; else empty
};

// The elements of the part: a view where it stands in one stretch, else a copy.
at::Tensor takePiece(const at::Tensor& tensor, const Piece& piece);

// A buffer to receive the part: a view into the tensor where it stands in one stretch; else memory
// of its own, from which putPiece() takes the elements where they belong.
at::Tensor placeFor(const at::Tensor& tensor, const Piece& piece);
bool isPlaced(const Piece& piece);  // it is a view, for which putPiece() has nothing to do
void putPiece(const at::Tensor& tensor, const Piece& piece, const at::Tensor& part);

// Always a copy, contiguous.
at::Tensor copyPiece(const at::Tensor& tensor, const Piece& piece);

}  // namespace shardlens
