#pragma once

#include "core/model/shard_geometry.h"
#include "core/model/spec.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// The windows of a convolution along a dimension of an image: the q-th is over the elements
// [q step - padding, q step - padding + length).
struct Windows {
  std::int64_t step = 1, padding = 0, length = 1;
};

// Over how many elements so many windows are together.
std::int64_t lengthUnder(const Windows& windows, std::int64_t count);

// What the windows of ranks reach of their neighbours' shards of a dimension of an image. Each rank
// owns a stretch of the image, and a stretch of the windows; the elements that these are over and
// that it does not own, the ranks before and after it do. What is beyond the image is zero.
//
//   9 elements and 5 windows of 3, with step 2 and padding 1, over 2 ranks:
//   rank 0 owns {0,5}, its windows are over {-1,7}: the last element is rank 1's
//   rank 1 owns {5,4}, its windows are over {5,5}
struct Halo {
  struct Part {
    Chunk own, over;
  };

  int tensorDim = 0;
  std::vector<int> meshDims;  // that cut it
  Windows windows;
  std::vector<Part> parts;  // of the ranks that differ along these, in their order
  // That a rank receives at most when all get what their windows are over, or give it back to its
  // owners: either is one exchange.
  std::int64_t bytes = 0;
};

// The halos of an image [N, C, places...], of as many windows along each dimension as the other
// image has places, for windows along each of the places' dimensions; only those that are cut have
// one. They are exchanged in this order, so that later ones hold corners of earlier ones. None
// where a window reaches beyond a neighbour.
std::optional<std::vector<Halo>> halosOf(const Spec& image, const Shape& windowCounts,
                                         const std::vector<Windows>& windows);

// "dim 2: windows of 3 by steps of 1 reach 1 element before a rank's own and 1 after".
std::string reachText(const Halo& halo);

}  // namespace shardlens
