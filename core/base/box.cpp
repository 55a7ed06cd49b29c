#include "core/base/box.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace shardlens {
namespace {

// Returns the dimension in which the boxes have the most different offsets.
std::size_t mostDivided(const std::vector<Box>& boxes) {
  std::size_t best = 0, most = 0;
  for (std::size_t dim = 0; dim < boxes.front().offsets.size(); ++dim) {
    std::set<std::int64_t> offsets;
    for (const Box& box : boxes) offsets.insert(box.offsets[dim]);
    if (offsets.size() > most) {
      most = offsets.size();
      best = dim;
    }
  }
  return best;
}

// Appends the parts of `box` outside of `hole`, which must be inside of it.
void subtract(Box box, const Box& hole, std::vector<Box>& parts) {
  for (std::size_t dim = 0; dim < box.offsets.size(); ++dim) {
    const std::int64_t begin = box.offsets[dim], end = begin + box.sizes[dim];
    const std::int64_t holeBegin = hole.offsets[dim], holeEnd = holeBegin + hole.sizes[dim];
    if (begin < holeBegin) {
      Box part = box;
      part.sizes[dim] = holeBegin - begin;
      parts.push_back(std::move(part));
    }
    if (holeEnd < end) {
      Box part = box;
      part.offsets[dim] = holeEnd;
      part.sizes[dim] = end - holeEnd;
      parts.push_back(std::move(part));
    }
    box.offsets[dim] = holeBegin;
    box.sizes[dim] = hole.sizes[dim];
  }
}

}  // namespace

std::optional<std::int64_t> elementsOf(const Extents& sizes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 56;
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) {
    if (size < 0) return std::nullopt;
    if (size == 0) return 0;
    if (count > kMost / size) return std::nullopt;
    count *= size;
  }
  return count;
}

std::int64_t volume(const Box& box) {
  return std::accumulate(box.sizes.begin(), box.sizes.end(), std::int64_t{1}, std::multiplies<>());
}

bool isWithin(const Box& box, const Extents& shape) {
  if (box.offsets.size() != shape.size() || box.sizes.size() != shape.size()) return false;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const std::int64_t offset = box.offsets[dim], size = box.sizes[dim];
    if (offset < 0 || size < 0 || offset > shape[dim] || size > shape[dim] - offset) return false;
  }
  return true;
}

std::optional<Box> intersection(const Box& a, const Box& b) {
  Box common = a;
  for (std::size_t dim = 0; dim < a.offsets.size(); ++dim) {
    common.offsets[dim] = std::max(a.offsets[dim], b.offsets[dim]);
    const std::int64_t end = std::min(a.offsets[dim] + a.sizes[dim], b.offsets[dim] + b.sizes[dim]);
    common.sizes[dim] = end - common.offsets[dim];
    if (common.sizes[dim] <= 0) return std::nullopt;
  }
  return common;
}

Box wholeOf(const Extents& shape) { return {Extents(shape.size(), 0), shape}; }

std::string extentsText(const Extents& extents) {
  return fmt::format("[{}]", fmt::join(extents, ", "));
}

std::string boxText(const Box& box) {
  std::string text;
  for (std::size_t dim = 0; dim < box.offsets.size(); ++dim) {
    text += fmt::format("{}{}:{}", dim == 0 ? "" : ", ", box.offsets[dim],
                        box.offsets[dim] + box.sizes[dim]);
  }
  return "[" + text + "]";
}

std::vector<BoxPair> overlappingBoxes(const std::vector<Box>& boxes, std::size_t most) {
  std::vector<BoxPair> pairs;
  if (boxes.size() < 2 || most == 0) return pairs;
  if (boxes.front().offsets.empty()) return {{0, 1}};  // scalars
  const std::size_t dim = mostDivided(boxes);
  std::vector<std::size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return boxes[a].offsets[dim] < boxes[b].offsets[dim];
  });
  std::vector<std::size_t> open;  // boxes that reach the current offset
  for (const std::size_t at : order) {
    const std::int64_t begin = boxes[at].offsets[dim];
    std::erase_if(open, [&](std::size_t other) {
      return boxes[other].offsets[dim] + boxes[other].sizes[dim] <= begin;
    });
    for (const std::size_t other : open) {
      if (!intersection(boxes[other], boxes[at])) continue;
      pairs.push_back({other, at});
      if (pairs.size() == most) return pairs;
    }
    open.push_back(at);
  }
  return pairs;
}

std::optional<std::vector<Box>> uncovered(const Box& whole, const std::vector<Box>& boxes,
                                          std::size_t most) {
  std::vector<Box> left{whole};
  for (const Box& box : boxes) {
    std::vector<Box> next;
    for (const Box& part : left) {
      if (const auto hole = intersection(part, box)) {
        subtract(part, *hole, next);
      } else {
        next.push_back(part);
      }
    }
    left = std::move(next);
    if (left.size() > most) return std::nullopt;
  }
  return left;
}

}  // namespace shardlens
