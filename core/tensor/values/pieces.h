#pragma once

#include "core/model/shard_geometry.h"

#include <ATen/core/Tensor.h>

namespace shardlens {

// The position of a part inside a plain tensor, and its shape.
struct Piece {
  explicit Piece(Block block);

  Shape shape;      // of the part
  Shape begin;      // the first index along each dimension
  Block stretches;  // empty if the part is one contiguous range along every dimension
};

// Returns the elements of the part: a view if isPlaced(), else a contiguous copy.
at::Tensor takePiece(const at::Tensor& tensor, const Piece& piece);

// Returns a buffer to receive the part: a view into `tensor` if isPlaced(), else a separate buffer.
// After filling it, call putPiece(), which copies a separate buffer into `tensor` and does nothing
// for a view.
at::Tensor placeFor(const at::Tensor& tensor, const Piece& piece);
bool isPlaced(const Piece& piece);  // true if the piece is one range along every dimension
void putPiece(const at::Tensor& tensor, const Piece& piece, const at::Tensor& part);

// Returns a contiguous copy of the part.
at::Tensor copyPiece(const at::Tensor& tensor, const Piece& piece);

}  // namespace shardlens
