#include "core/model/rank_selector.h"

#include "core/base/text.h"

#include <algorithm>
#include <set>

namespace shardlens {
namespace {

constexpr auto kExpected = "expected ranks such as 0-3,8, or axes such as \"dp=1,3 tp=0\"";

std::vector<std::string_view> piecesOf(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Parses "1,3-5"; "*" gives no ranges, which means all.
Result<std::vector<RankRange>> valuesIn(std::string_view text) {
  std::vector<RankRange> values;
  if (text == "*") return values;
  for (const auto part : piecesOf(text, ',')) {
    const auto range = parseRankRange(part);
    if (!range) return fail("got \"" + std::string(part) + "\", " + kExpected);
    values.push_back(*range);
  }
  return united(std::move(values));
}

std::string lastOf(int size) { return std::to_string(size - 1); }

// Returns, for each axis of the mesh, which coordinates are selected.
Result<std::vector<std::vector<bool>>> coordinates(const RankSelector& selector,
                                                   const DeviceMesh& mesh) {
  std::vector<std::vector<bool>> selected;
  for (const int size : mesh.shape()) selected.emplace_back(static_cast<std::size_t>(size), true);
  for (const auto& [name, values] : selector.axes) {
    const auto found = std::ranges::find(mesh.names(), name);
    if (found == mesh.names().end()) {
      return fail("got the axis " + name + ", expected one of " + joined(mesh.names()));
    }
    auto& axis = selected[static_cast<std::size_t>(found - mesh.names().begin())];
    const int size = static_cast<int>(axis.size());
    if (values.empty()) continue;
    if (values.back().last >= size) {
      return fail("got " + name + "=" + rangesText(values) + ", expected coordinates from 0 to " +
                  lastOf(size));
    }
    for (int at = 0; at < size; ++at) axis[static_cast<std::size_t>(at)] = contains(values, at);
  }
  return selected;
}

}  // namespace

Result<RankSelector> parseRankSelector(std::string_view text) {
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  RankSelector selector;
  for (const auto part : piecesOf(text, ' ')) {
    if (part.empty()) continue;
    const auto sign = part.find('=');
    const bool isPlain = sign == std::string_view::npos;
    if (sign == 0 || (isPlain && part.size() != text.size())) {
      return fail("got \"" + std::string(part) + "\", " + kExpected);
    }
    auto values = valuesIn(isPlain ? part : part.substr(sign + 1));
    if (!values) return tl::unexpected(values.error());
    if (isPlain) {
      selector.ranks = std::move(*values);
      return selector;
    }
    std::string name(part.substr(0, sign));
    if (std::ranges::count(selector.axes, name, &RankSelector::Axis::name) > 0) {
      return fail("got the axis " + name + " twice, expected each axis once");
    }
    selector.axes.push_back({std::move(name), std::move(*values)});
  }
  if (selector.axes.empty()) return fail(std::string("got no ranks, ") + kExpected);
  return selector;
}

Result<std::vector<RankRange>> selectRanks(const RankSelector& selector,
                                           const std::optional<DeviceMesh>& mesh) {
  if (!mesh) {
    if (!selector.ranks.empty()) return selector.ranks;
    return fail(selector.axes.empty() ? "got *, expected ranks such as 0-3,8: no mesh is known"
                                      : "got the axis " + selector.axes.front().name +
                                            ", expected ranks such as 0-3,8: no mesh is known");
  }
  if (!selector.ranks.empty()) {
    const int last = selector.ranks.back().last;
    const auto all = mesh->ranks();
    if (last <= *std::ranges::max_element(all)) return selector.ranks;
    return fail("got rank " + std::to_string(last) + ", expected ranks from 0 to " +
                std::to_string(*std::ranges::max_element(all)));
  }
  const auto selected = coordinates(selector, *mesh);
  if (!selected) return tl::unexpected(selected.error());
  std::vector<RankRange> ranks;
  for (const int rank : mesh->ranks()) {
    bool is = true;
    for (int dim = 0; is && dim < mesh->ndim(); ++dim) {
      is = (*selected)[static_cast<std::size_t>(dim)]
                      [static_cast<std::size_t>(mesh->coordinate(rank, dim))];
    }
    if (is) ranks.push_back({rank, rank});
  }
  return united(std::move(ranks));
}

Result<std::vector<RankRange>> selectRanks(std::string_view text,
                                           const std::optional<DeviceMesh>& mesh) {
  const auto selector = parseRankSelector(text);
  if (!selector) return tl::unexpected(selector.error());
  return selectRanks(*selector, mesh);
}

std::string axesSelecting(const std::vector<RankRange>& ranks, const DeviceMesh& mesh) {
  std::vector<std::set<int>> values(static_cast<std::size_t>(mesh.ndim()));
  for (const auto& range : ranks) {
    for (int rank = range.first; rank <= range.last; ++rank) {
      if (!mesh.has(rank)) return {};
      for (int dim = 0; dim < mesh.ndim(); ++dim) {
        values[static_cast<std::size_t>(dim)].insert(mesh.coordinate(rank, dim));
      }
    }
  }
  std::string text;
  std::int64_t product = 1;
  for (int dim = 0; dim < mesh.ndim(); ++dim) {
    const auto& own = values[static_cast<std::size_t>(dim)];
    product *= static_cast<std::int64_t>(own.size());
    if (static_cast<int>(own.size()) == mesh.size(dim)) continue;
    std::vector<RankRange> ranges;
    for (const int at : own) ranges.push_back({at, at});
    text += (text.empty() ? "" : " ") + mesh.names()[static_cast<std::size_t>(dim)] + "=" +
            rangesText(united(std::move(ranges)));
  }
  return product == rankCount(ranks) ? text : std::string();
}

}  // namespace shardlens
