#include "core/model/mesh.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace shardlens {

namespace {

Result<void> verifyRanks(const std::vector<int>& ranks, std::int64_t expected) {
  if (static_cast<std::int64_t>(ranks.size()) != expected) {
    return fail(fmt::format("mesh ranks: got {}, expected one for each of {} places", ranks.size(),
                            expected));
  }
  std::set<int> seen;
  for (const int rank : ranks) {
    if (rank < 0) return fail(fmt::format("mesh ranks: got {}, expected 0 or more", rank));
    if (!seen.insert(rank).second) {
      return fail(fmt::format("mesh ranks: got {} twice, expected different ones", rank));
    }
  }
  return {};
}

// Returns true if the ranks are 0, 1, 2, ....
bool isCounting(const std::vector<int>& ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != static_cast<int>(i)) return false;
  }
  return true;
}

}  // namespace

Result<DeviceMesh> DeviceMesh::make(std::vector<int> shape, std::vector<std::string> names,
                                    std::vector<int> ranks) {
  if (shape.empty()) return fail("mesh shape: got no dimensions, expected at least one");
  constexpr std::int64_t kMostRanks = 1 << 24;
  std::int64_t places = 1;
  for (const int size : shape) {
    if (size < 1) {
      return fail(fmt::format("mesh shape: got size {}, expected at least 1", size));
    }
    places *= size;
    if (places > kMostRanks) return fail("mesh shape: got more than 16777216 ranks");
  }
  if (names.empty()) {
    for (std::size_t i = 0; i < shape.size(); ++i) names.push_back("d" + std::to_string(i));
  }
  if (names.size() != shape.size()) {
    return fail(fmt::format("mesh names: got {}, expected one for each of {} dimensions",
                            names.size(), shape.size()));
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    return fail("mesh names: got one twice, expected different ones");
  }
  if (!ranks.empty()) {
    if (auto verified = verifyRanks(ranks, places); !verified) {
      return tl::unexpected(verified.error());
    }
  }
  DeviceMesh mesh;
  if (!isCounting(ranks)) mesh.setRanks(std::move(ranks));
  mesh.shape_ = std::move(shape);
  mesh.names_ = std::move(names);
  mesh.strides_.assign(mesh.shape_.size(), 1);
  for (int dim = mesh.ndim() - 1; dim >= 0; --dim) {
    mesh.strides_[static_cast<std::size_t>(dim)] = mesh.size_;
    mesh.size_ *= mesh.size(dim);
  }
  return mesh;
}

void DeviceMesh::setRanks(std::vector<int> ranks) {
  ranks_ = std::move(ranks);
  placesByRank_.resize(ranks_.size());
  std::iota(placesByRank_.begin(), placesByRank_.end(), 0);
  std::sort(placesByRank_.begin(), placesByRank_.end(),
            [this](int a, int b) { return rankAt(a) < rankAt(b); });
}

std::optional<DeviceMesh> DeviceMesh::united(const std::vector<DeviceMesh>& meshes) {
  std::vector<int> ranks;
  for (const auto& mesh : meshes) {
    if (mesh.shape_ != meshes.front().shape_ || mesh.names_ != meshes.front().names_) {
      return std::nullopt;
    }
    const auto its = mesh.ranks();
    ranks.insert(ranks.end(), its.begin(), its.end());
  }
  if (meshes.empty() || !verifyRanks(ranks, static_cast<std::int64_t>(ranks.size()))) {
    return std::nullopt;
  }
  DeviceMesh all = meshes.front();
  if (meshes.size() > 1) all.setRanks(std::move(ranks));
  return all;
}

std::vector<std::vector<int>> DeviceMesh::replicas() const {
  const auto all = ranks();
  std::vector<std::vector<int>> lists;
  for (auto first = all.begin(); first != all.end(); first += size_) {
    lists.emplace_back(first, first + size_);
  }
  return lists;
}

std::vector<int> DeviceMesh::coordinate(int rank) const {
  std::vector<int> at(shape_.size());
  for (int dim = 0; dim < ndim(); ++dim) at[static_cast<std::size_t>(dim)] = coordinate(rank, dim);
  return at;
}

std::vector<int> DeviceMesh::ranks() const {
  if (!ranks_.empty()) return ranks_;
  std::vector<int> counting(static_cast<std::size_t>(size_));
  std::iota(counting.begin(), counting.end(), 0);
  return counting;
}

std::optional<int> DeviceMesh::placeOf(int rank) const {
  if (ranks_.empty()) return rank >= 0 && rank < size_ ? std::optional(rank) : std::nullopt;
  const auto it = std::lower_bound(placesByRank_.begin(), placesByRank_.end(), rank,
                                   [&](int place, int key) { return rankAt(place) < key; });
  if (it == placesByRank_.end() || rankAt(*it) != rank) return std::nullopt;
  return *it;
}

std::vector<std::vector<int>> DeviceMesh::groups(const std::vector<int>& dims) const {
  std::vector<int> offsets{0};
  for (const int dim : dims) {
    std::vector<int> longer;
    longer.reserve(offsets.size() * static_cast<std::size_t>(size(dim)));
    for (const int offset : offsets) {
      for (int i = 0; i < size(dim); ++i) longer.push_back(offset + i * stride(dim));
    }
    offsets = std::move(longer);
  }
  std::vector<std::vector<int>> groups;
  const int places = ranks_.empty() ? size_ : static_cast<int>(ranks_.size());
  groups.reserve(static_cast<std::size_t>(places) / offsets.size());
  for (int place = 0; place < places; ++place) {
    const bool first = std::all_of(dims.begin(), dims.end(),
                                   [&](int dim) { return place / stride(dim) % size(dim) == 0; });
    if (!first) continue;
    auto& group = groups.emplace_back();
    group.reserve(offsets.size());
    for (const int offset : offsets) group.push_back(rankAt(place + offset));
  }
  return groups;
}

}  // namespace shardlens
