#pragma once

#include "core/base/result.h"
#include "core/model/mesh.h"
#include "core/trace/journal/journal.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens {

// A dimension along which a program arranges its ranks: disjoint process groups of one size that
// together have all ranks.
struct RankAxis {
  std::string name;                      // "tp"; "world" or "axis 0" if the program gives none
  std::vector<std::vector<int>> groups;  // of two or more ranks each, ascending
  bool operator==(const RankAxis&) const = default;
};

// Parses "tp=0,1|2,3". Returns an error for other text.
Result<RankAxis> parseRankAxis(std::string_view text);

// Returns the axes of a recorded job. `given` come first; they are taken as they are. The rest are
// the process groups of collectives that partition the ranks, and the axes of claims that state
// their form. Groups that consist of whole groups of other axes are no axis. The name is the
// description of the process group; that of a group of a DeviceMesh is the name of its dimension.
std::vector<RankAxis> inferAxes(const Journal& journal, const std::vector<RankAxis>& given = {});

// A mesh whose dimensions are axes.
struct AxisMesh {
  DeviceMesh mesh;
  std::vector<std::size_t>
      axes;  // the axis of each dimension, that of the most distant ranks first
};
// Returns the mesh of all axes. nullopt if the axes do not cross each other so that each
// combination of coordinates is one rank.
std::optional<AxisMesh> meshOf(const std::vector<RankAxis>& axes);

// Returns the form of a group: the distances of its members from the first one.
std::vector<int> formOf(const std::vector<int>& group);

// Returns true if all groups of the axis have this form.
bool isOfForm(const RankAxis& axis, const std::vector<int>& form);

// Returns true if each of `groups` consists of whole groups of the axis.
bool covers(const std::vector<std::vector<int>>& groups, const RankAxis& axis);

}  // namespace shardlens
