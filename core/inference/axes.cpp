#include "core/inference/axes.h"

#include "core/model/ranks_text.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/plain_record.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace shardlens {
namespace {

using Members = std::vector<int>;

// The recorded groups of one form: the distances of the members from the first one.
struct Family {
  std::string name;
  std::set<Members> groups;
};

bool partition(const std::set<Members>& groups, std::size_t ranks) {
  std::set<int> seen;
  for (const auto& group : groups) {
    for (const int rank : group) {
      if (!seen.insert(rank).second) return false;
    }
  }
  return seen.size() == ranks;
}

// Returns the groups of a form that together are the ranks; empty if there are none.
std::set<Members> groupsOf(const Members& form, const std::vector<int>& ranks) {
  std::set<Members> groups;
  std::set<int> open(ranks.begin(), ranks.end());
  const bool isForm =
      form.size() >= 2 && form.front() == 0 &&
      std::adjacent_find(form.begin(), form.end(), std::greater_equal<>()) == form.end();
  while (isForm && !open.empty()) {
    const std::int64_t first = *open.begin();
    Members group;
    for (const int distance : form) {
      const std::int64_t rank = first + distance;
      if (rank > ranks.back() || open.erase(static_cast<int>(rank)) == 0) return {};
      group.push_back(static_cast<int>(rank));
    }
    groups.insert(std::move(group));
  }
  return groups;
}

bool consistsOf(const Members& group, const RankAxis& axis) {
  for (const auto& part : axis.groups) {
    const auto inside = std::count_if(part.begin(), part.end(), [&](int rank) {
      return std::find(group.begin(), group.end(), rank) != group.end();
    });
    if (inside != 0 && inside != static_cast<std::ptrdiff_t>(part.size())) return false;
  }
  return true;
}

// Calls visit(members, name) for each group of a collective on plain tensors.
template <class Visit>
void forEachGroup(const Journal& journal, const Visit& visit) {
  std::set<std::pair<StringId, StringId>> seen;  // ranks, detail of the operator
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind != EventKind::Collective) continue;
    const StringId detail = event.parent == 0 ? 0 : journal.at(event.parent).detail;
    if (!seen.emplace(event.ranks, detail).second) continue;
    const auto name = readPlainCall(journal.text(detail)).group;
    for (const auto& group : parseRanks(journal.text(event.ranks))) visit(group, name);
  }
}

// Calls visit(axis, form) for each axis that a claim describes by its form.
template <class Visit>
void forEachClaimedAxis(const Journal& journal, const Visit& visit) {
  std::set<StringId> seen;
  for (EventId id = 1; id <= journal.size(); ++id) {
    const Event event = journal.at(id);
    if (event.kind != EventKind::Result || event.detail == 0 || !seen.insert(event.detail).second) {
      continue;
    }
    for (const auto& stated : readPlainClaim(journal.detail(event)).axes) {
      if (!stated.form.empty()) visit(stated.axis, stated.form);
    }
  }
}

}  // namespace

std::vector<int> formOf(const std::vector<int>& group) {
  Members form;
  for (const int rank : group) form.push_back(rank - group.front());
  return form;
}

bool isOfForm(const RankAxis& axis, const std::vector<int>& form) {
  return std::all_of(axis.groups.begin(), axis.groups.end(),
                     [&](const Members& group) { return formOf(group) == form; });
}

Result<RankAxis> parseRankAxis(std::string_view text) {
  const auto equals = text.find('=');
  RankAxis axis;
  if (equals != std::string_view::npos) {
    axis = {std::string(text.substr(0, equals)), parseRanks(text.substr(equals + 1))};
  }
  std::set<Members> groups;
  std::size_t ranks = 0;
  for (auto& group : axis.groups) {
    std::sort(group.begin(), group.end());
    groups.insert(group);
    ranks += group.size();
  }
  const bool isOne = std::all_of(axis.groups.begin(), axis.groups.end(), [&](const auto& group) {
    return group.size() >= 2 && group.size() == axis.groups.front().size();
  });
  if (axis.name.empty() || axis.groups.empty() || !isOne || !partition(groups, ranks)) {
    return fail("axis: got '" + std::string(text) +
                "', expected a name and disjoint groups of one size, as tp=0,1|2,3");
  }
  return axis;
}

bool covers(const std::vector<std::vector<int>>& groups, const RankAxis& axis) {
  return !groups.empty() && std::all_of(groups.begin(), groups.end(), [&](const auto& group) {
    return group.size() >= axis.groups.front().size() && consistsOf(group, axis);
  });
}

std::optional<AxisMesh> meshOf(const std::vector<RankAxis>& axes) {
  if (axes.empty()) return std::nullopt;
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto distance = [&](std::size_t axis) {
    const auto& group = axes[axis].groups.front();
    return group[1] - group[0];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return distance(a) > distance(b); });
  std::map<std::vector<int>, int> ranks;  // by coordinates, so in the order of the mesh
  std::map<int, std::vector<int>> coordinates;
  std::vector<int> shape;
  std::vector<std::string> names;
  for (const auto axis : order) {
    shape.push_back(static_cast<int>(axes[axis].groups.front().size()));
    names.push_back(axes[axis].name);
    for (const auto& group : axes[axis].groups) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        coordinates[group[i]].push_back(static_cast<int>(i));
      }
    }
  }
  for (const auto& [rank, at] : coordinates) ranks.emplace(at, rank);
  std::vector<int> all;
  for (const auto& [at, rank] : ranks) all.push_back(rank);
  auto mesh = DeviceMesh::make(std::move(shape), std::move(names), std::move(all));
  if (!mesh) return std::nullopt;
  for (std::size_t dim = 0; dim < order.size(); ++dim) {
    auto groups = mesh->groups(static_cast<int>(dim));
    auto expected = axes[order[dim]].groups;
    std::sort(groups.begin(), groups.end());
    std::sort(expected.begin(), expected.end());
    if (groups != expected) return std::nullopt;
  }
  return AxisMesh{std::move(*mesh), std::move(order)};
}

std::vector<RankAxis> inferAxes(const Journal& journal, const std::vector<RankAxis>& given) {
  std::vector<RankAxis> axes = given;
  const auto isKnown = [&](const RankAxis& axis) {
    return std::any_of(axes.begin(), axes.end(),
                       [&](const RankAxis& other) { return other.groups == axis.groups; });
  };
  std::map<Members, Family> families;  // by the distances of their members
  forEachGroup(journal, [&](const Members& group, const std::string& name) {
    if (group.size() < 2) return;
    Family& family = families[formOf(group)];
    family.groups.insert(group);
    if (family.name.empty()) family.name = name;
  });
  const auto hosted = hostedRanks(journal);
  forEachClaimedAxis(journal, [&](const std::string& name, const Members& form) {
    auto groups = groupsOf(form, hosted);
    const auto known = families.find(form);
    if (known == families.end() && !groups.empty()) {
      families[form] = {name, std::move(groups)};
    } else if (known != families.end()) {
      auto& family = known->second;
      if (family.name.empty()) family.name = name;
      if (std::includes(groups.begin(), groups.end(), family.groups.begin(), family.groups.end())) {
        family.groups = std::move(groups);
      }
    }
  });
  std::vector<RankAxis> found;
  for (const auto& [form, family] : families) {
    if (!partition(family.groups, hosted.size())) continue;
    RankAxis axis{family.name, {family.groups.begin(), family.groups.end()}};
    if (!isKnown(axis)) found.push_back(std::move(axis));
  }
  // The smallest groups first, so that the groups of several axes come after these.
  std::stable_sort(found.begin(), found.end(), [](const RankAxis& a, const RankAxis& b) {
    return a.groups.front().size() < b.groups.front().size();
  });
  for (auto& axis : found) {
    const bool isProduct = std::any_of(axes.begin(), axes.end(), [&](const RankAxis& other) {
      return covers(axis.groups, other);
    });
    if (isProduct) continue;
    if (axis.name.empty()) {
      axis.name = axis.groups.size() == 1 ? "world" : "axis " + std::to_string(axes.size());
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

}  // namespace shardlens
