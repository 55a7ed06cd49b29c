#pragma once

#include "core/model/shard_geometry.h"
#include "core/model/spec.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// The sliding windows of a convolution along one image dimension. Window q covers `length` elements
// from q * step - padding on.
struct Windows {
  std::int64_t step = 1, padding = 0, length = 1;
};

// Returns the number of elements that `count` consecutive windows cover; 0 for no windows.
std::int64_t lengthUnder(const Windows& windows, std::int64_t count);

// The exchange with neighbour ranks that windows over a sharded image dimension need. Each rank
// owns a range of the elements and of the windows. Elements that its windows cover but it does not
// own belong to the previous and next rank. Elements outside the image are zero.
//
//   9 elements and 5 windows of 3, with step 2 and padding 1, over 2 ranks:
//   rank 0 owns {0,5}, its windows cover {-1,7}: the last element is rank 1's
//   rank 1 owns {5,4}, its windows cover {5,5}
struct Halo {
  struct Part {
    Chunk own, over;  // elements: owned, and covered by the rank's windows
  };

  int tensorDim = 0;
  std::vector<int> meshDims;  // that shard it
  Windows windows;
  std::vector<Part> parts;  // of the ranks that differ along meshDims, in their order
  std::int64_t bytes = 0;   // most that a rank receives in one exchange, in either direction
};

// Returns the halos of an image [N, C, places...] whose places have `windows`, one per dimension.
// `windowCounts` is the shape of the image with one place per window. Only sharded dimensions have
// a halo. Exchange them in this order, because later ones include the corners received by earlier
// ones. Returns nullopt if a window reaches beyond the previous or next rank. Requires a mesh in
// `image`.
std::optional<std::vector<Halo>> halosOf(const Spec& image, const Shape& windowCounts,
                                         const std::vector<Windows>& windows);

// Returns "dim 2: windows of 3 by steps of 1 reach 1 before a rank's own and 1 after".
std::string reachText(const Halo& halo);

}  // namespace shardlens
