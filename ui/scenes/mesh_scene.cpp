#include "ui/scenes/mesh_scene.h"

#include "core/model/ranks_text.h"
#include "core/trace/journal/tensor_ranks.h"
#include "core/trace/records/collective_record.h"
#include "core/view/words/collective_wait.h"
#include "core/view/words/names.h"
#include "core/view/words/rank_roles.h"
#include "ui/scenes/mesh_axes.h"
#include "ui/scenes/theme.h"
#include "ui/text/format.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <optional>

namespace shardlens {
namespace {

constexpr double kAxisName = 20;
constexpr double kMeshFrame = 6;
// Minimum size of a box with more text than the rank number.
constexpr double kDescribedWidth = 44;
constexpr double kDescribedHeight = 36;
// Maximum number of members with frames and lines, which need every member's position. With more
// members, each rank shows its group number.
constexpr std::int64_t kMostFramed = 4096;
constexpr std::size_t kLongestList = 1 << 20;  // characters; longer member lists are not parsed

using Groups = std::vector<std::vector<int>>;

// Returns the line from a member of a group to the next one in group order.
MeshEdge edgeBetween(const QRectF& from, const QRectF& to) {
  const bool across = std::abs(from.center().y() - to.center().y()) < 1;
  return across ? MeshEdge{QPointF(from.right(), from.center().y()),
                           QPointF(to.left(), to.center().y())}
                : MeshEdge{QPointF(from.center().x(), from.bottom()),
                           QPointF(to.center().x(), to.top())};
}

struct Frames {
  std::vector<QRectF> groups;
  std::vector<MeshEdge> edges;
};

// Returns frames and lines of all groups. Returns none if a frame would contain a rank of another
// group, because groups along an outer axis interleave.
Frames framesOf(const MeshGrid& grid, const Groups& groups) {
  Frames frames;
  const double margin = std::min({kMeshFrame, grid.gap().width() / 2, grid.gap().height() / 2});
  for (const auto& group : groups) {
    QRectF frame;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const QRectF box = grid.boxOf(group[i]);
      frame = frame.united(box);
      if (i > 0) {
        frames.edges.push_back(edgeBetween(grid.boxOf(group[i - 1]), box));
      }
    }
    if (grid.placesIn(frame, group.size()).size() != group.size()) {
      return {};
    }
    frames.groups.push_back(frame.adjusted(-margin, -margin, margin, margin));
  }
  return frames;
}

// The groups of a collective as rank ranges, which are small for groups of millions of ranks.
struct Members {
  std::vector<std::vector<RankRange>> groups;
  std::vector<RankRange> all;

  // Returns the group number of each rank, from 1; 0: not a member. `ranks` must be ascending.
  std::vector<int> groupsOf(const std::vector<int>& ranks) const {
    std::vector<int> found(ranks.size(), 0);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (const RankRange& range : groups[i]) {
        const auto first = std::lower_bound(ranks.begin(), ranks.end(), range.first);
        for (auto rank = first; rank != ranks.end() && *rank <= range.last; ++rank) {
          int& group = found[static_cast<std::size_t>(rank - ranks.begin())];
          group = group == 0 ? static_cast<int>(i) + 1 : group;
        }
      }
    }
    return found;
  }
};

Members membersOf(const Journal& journal, const Event& event, int ranks) {
  Members members;
  auto text = journal.text(event.ranks);
  while (!text.empty() && text.size() <= kLongestList) {
    const auto end = std::min(text.find('|'), text.size());
    auto group = parseRankRanges(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    std::erase_if(group, [ranks](const RankRange& range) { return range.first >= ranks; });
    if (!group.empty()) {
      group.back().last = std::min(group.back().last, ranks - 1);
      members.all.insert(members.all.end(), group.begin(), group.end());
      members.groups.push_back(std::move(group));
    }
  }
  members.all = united(std::move(members.all));
  return members;
}

// Returns the groups as rank lists in group order.
Groups listed(const Journal& journal, const Event& event, int ranks) {
  Groups groups = parseRanks(journal.text(event.ranks));
  for (auto& group : groups) {
    std::erase_if(group, [ranks](int rank) { return rank >= ranks; });
  }
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
  return groups;
}

// Returns the number of members that are hosted, so that their bytes were recorded.
std::int64_t countedMembers(const Members& members, const std::vector<RankRange>& hosted) {
  auto either = hosted;
  either.insert(either.end(), members.all.begin(), members.all.end());
  const auto both =
      rankCount(hosted) + rankCount(members.all) - rankCount(united(std::move(either)));
  return both;
}

// Describes the bytes of a collective per rank. For a collective with a root, these are the bytes
// that each other member receives. Empty for a recv, whose bytes are those of its send.
QString bytesOf(const Journal& journal, const Event& event, std::int64_t counted, bool isEven) {
  if (const auto message = readMessage(journal.name(event))) {
    return message->isSend ? QStringLiteral("sent: ") + bytesText(event.bytes) : QString();
  }
  if (counted == 0) {
    return bytesText(event.bytes);
  }
  const bool isSent = readCollective(journal.detail(event)).root.has_value();
  const QString each = isSent ? QStringLiteral("sent: %1%2 to each rank, %3 in total")
                              : QStringLiteral("sent: %1%2 per rank, %3 in total");
  return each.arg(isEven ? QString() : QStringLiteral("about "), bytesText(event.bytes / counted),
                  bytesText(event.bytes));
}

// Returns true if all members send the same number of bytes, or if that is unknown. Compares the
// redistributed tensor's largest shard (first rank) with its smallest (last rank).
bool isEven(const Journal& journal, EventId collective) {
  for (EventId id = journal.at(collective).parent; id != 0; id = journal.at(id).parent) {
    const Event event = journal.at(id);
    if (event.kind != EventKind::Redistribute || event.subject == 0 ||
        event.subject > journal.tensors()) {
      continue;
    }
    const TensorRecord tensor = journal.tensor(event.subject);
    const auto mesh = meshOf(journal, tensor.mesh);
    if (!mesh || mesh->size() > kMostFramed ||
        tensor.placements.size() != static_cast<std::size_t>(mesh->ndim())) {
      return true;
    }
    const auto ranks = mesh->ranks();
    const auto shapeOf = [&](int rank) {
      return localShape(tensor.shape, *mesh, tensor.placements, rank);
    };
    return shapeOf(ranks.front()) == shapeOf(ranks.back());
  }
  return true;
}

// Places a label on each line that has room. If the first line has none, places labels on the
// frames, which are drawn only for a collective in progress. Labels never cover a rank, and are
// left out where they would be cut.
std::vector<MeshLabel> labelsOf(const MeshScene& scene, const QString& text) {
  constexpr double kHeight = 12;
  const double width = QFontMetricsF(textFont(9, Weight::Bold)).horizontalAdvance(text) + 6;
  const auto labelAt = [&](QPointF middle) -> std::optional<MeshLabel> {
    QRectF rect(0, 0, width, kHeight);
    rect.moveCenter(middle);
    const bool covers = !scene.grid.placesIn(rect.translated(-scene.shift), 1).empty();
    return covers ? std::nullopt : std::optional(MeshLabel{rect, text});
  };
  std::vector<MeshLabel> labels;
  const auto add = [&](const std::optional<MeshLabel>& label) {
    if (label && scene.inside.contains(label->rect)) {
      labels.push_back(*label);
    }
  };
  const auto middleOf = [](const MeshEdge& edge) { return (edge.from + edge.to) / 2; };
  if (!scene.edges.empty() && labelAt(middleOf(scene.edges.front()))) {
    for (const MeshEdge& edge : scene.edges) {
      add(labelAt(middleOf(edge)));
    }
    return labels;
  }
  for (const QRectF& frame : scene.groups) {
    if (scene.tense == CollectiveTense::Now && frame.width() > width + 16) {
      add(labelAt(QPointF(frame.center().x(), frame.top() - 1)));
    }
  }
  return labels;
}

// Describes which part of one tensor a rank holds.
class LocalShapes {
 public:
  LocalShapes(const Journal& journal, const Snapshot& snapshot, TensorId tensor)
      : journal_(journal), position_(snapshot.position), tensor_(tensor) {
    if (tensor != 0) {
      ranks_.emplace(journal, tensor);
    }
  }

  QString by(int rank) const {
    if (!ranks_) {
      return {};
    }
    if (ranks_->of(rank) == RankLocation::NotInMesh) {
      return QStringLiteral("not in mesh");
    }
    if (const auto value = journal_.value(tensor_, rank, position_)) {
      return toQString(toText(value->shape));
    }
    const TensorRecord record = journal_.tensor(tensor_);
    const auto& mesh = ranks_->mesh();
    return mesh ? toQString(toText(localShape(record.shape, *mesh, record.placements, rank)))
                : QString();
  }

 private:
  const Journal& journal_;
  EventId position_;
  TensorId tensor_;
  std::optional<TensorRanks> ranks_;
};

// Returns the event whose roles are shown: the collective in progress, else the current event.
EventId shownEvent(const ShownCollective& collective, const Snapshot& snapshot) {
  return collective.tense == CollectiveTense::Now ? collective.id : snapshot.position;
}

}  // namespace

ShownCollective shownCollective(const Journal& journal, const Snapshot& snapshot) {
  if (snapshot.position == 0) {
    return {};
  }
  if (journal.at(snapshot.position).kind == EventKind::Collective) {
    return {snapshot.position, CollectiveTense::Now};
  }
  for (const EventId id : snapshot.open) {
    if (journal.at(id).kind == EventKind::Collective) {
      return {id, CollectiveTense::Now};
    }
  }
  constexpr EventId kFarthest = 64;
  const EventId end = std::min(journal.size(), snapshot.position + kFarthest);
  for (EventId id = snapshot.position + 1; id <= end; ++id) {
    if (journal.at(id).kind == EventKind::Collective) {
      return {id, CollectiveTense::Next};
    }
  }
  return {};
}

std::vector<int> shownFaults(const Journal& journal, const Snapshot& snapshot) {
  const ShownCollective collective = shownCollective(journal, snapshot);
  if (collective.tense != CollectiveTense::Now) return {};
  const auto wait = view::collectiveWait(journal, collective.id);
  return wait ? view::ranksAtFault(journal, *wait) : std::vector<int>();
}

std::optional<DeviceMesh> shownMesh(const Journal& journal) {
  if (auto mesh = recordedMesh(journal)) {
    return mesh;
  }
  const auto hosted = hostedRanges(journal);
  if (hosted.empty()) {
    return std::nullopt;
  }
  auto ranks = DeviceMesh::make({hosted.back().last + 1}, {"rank"});
  return ranks ? std::optional(std::move(*ranks)) : std::nullopt;
}

MeshRank describeRank(const Journal& journal, const Snapshot& snapshot, int rank) {
  MeshRank found;
  found.rank = rank;
  const auto mesh = shownMesh(journal);
  const ShownCollective collective = shownCollective(journal, snapshot);
  found.here = contains(hostedRanges(journal), rank);
  if (mesh && collective.tense != CollectiveTense::None) {
    const auto members = membersOf(journal, journal.at(collective.id), mesh->size());
    const int group = members.groupsOf({rank}).front();
    found.joined = group != 0;
    found.group = members.groups.size() > 1 ? group : 0;
  }
  found.device = toQString(view::deviceNear(journal, snapshot.position, rank));
  const view::RankRoles roles(journal, shownEvent(collective, snapshot));
  found.role = toQString(view::roleText(roles.of(rank)));
  found.localShape = LocalShapes(journal, snapshot, snapshot.focus).by(rank);
  return found;
}

MeshScene layoutMesh(const Journal& journal, const Snapshot& snapshot, QSizeF area,
                     const MeshViewport& viewport) {
  MeshScene scene;
  const auto mesh = shownMesh(journal);
  if (!mesh) {
    return scene;
  }
  const auto hosted = hostedRanges(journal);
  const ShownCollective collective = shownCollective(journal, snapshot);
  const EventId id = collective.id;
  scene.tense = collective.tense;
  Members members;
  QString bytesOfRank;
  if (id != 0) {
    const Event& event = journal.at(id);
    members = membersOf(journal, event, mesh->size());
    // Ranks that never called the collective sent nothing.
    const auto missing = missingMembers(journal, id);
    const std::int64_t counted =
        countedMembers(members, hosted) -
        std::ranges::count_if(missing, [&](int rank) { return contains(hosted, rank); });
    scene.collective = toQString(view::collectiveText(journal, event));
    const bool even = isEven(journal, id);
    scene.bytes = bytesOf(journal, event, counted, even);
    if (counted > 0 && event.bytes > 0) {
      bytesOfRank = (even ? QString() : QStringLiteral("~")) + bytesText(event.bytes / counted);
    }
  }

  const double left = mesh->ndim() > 1 ? kAxisName + 4 : 0;
  const QSizeF room(area.width() - left - 2 * kMeshFrame,
                    area.height() - kAxisName - 2 * kMeshFrame);
  scene.grid = MeshGrid(*mesh, room, viewport.magnified);
  const MeshGrid& grid = scene.grid;
  const QPointF origin(
      left + kMeshFrame + std::max(0.0, (room.width() - grid.size().width()) / 2),
      kAxisName + kMeshFrame + std::max(0.0, (room.height() - grid.size().height()) / 2));
  scene.size = QSizeF(left + 2 * kMeshFrame, kAxisName + 2 * kMeshFrame) + grid.size();
  scene.inside = QRectF(QPointF(left, kAxisName), QPointF(area.width(), area.height()));
  const QPointF shift = origin - viewport.scrolled;
  scene.shift = shift;

  const bool framed = !members.all.empty() && rankCount(members.all) <= kMostFramed;
  const Frames frames =
      framed ? framesOf(grid, listed(journal, journal.at(id), mesh->size())) : Frames();
  for (const QRectF& frame : frames.groups) {
    scene.groups.push_back(frame.translated(shift));
  }
  for (const MeshEdge& edge : frames.edges) {
    scene.edges.push_back({edge.from + shift, edge.to + shift});
  }
  if (!bytesOfRank.isEmpty()) {
    scene.labels = labelsOf(scene, bytesOfRank);
  }
  // Ranks in small boxes are described on demand, by describeRank().
  const bool isDescribed =
      grid.box().width() >= kDescribedWidth && grid.box().height() >= kDescribedHeight;
  const view::RankRoles roles(journal, isDescribed ? shownEvent(collective, snapshot) : 0);
  const LocalShapes localShapes(journal, snapshot, isDescribed ? snapshot.focus : 0);
  const bool numbered = frames.groups.empty() && members.groups.size() > 1;
  const auto ranks = grid.placesIn(scene.inside.translated(-shift));
  const auto groups = members.groupsOf(ranks);
  const auto faults = shownFaults(journal, snapshot);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    MeshRank rank;
    rank.rank = ranks[i];
    rank.rect = scene.boxOf(ranks[i]);
    rank.here = contains(hosted, ranks[i]);
    rank.joined = groups[i] != 0;
    rank.atFault = std::ranges::binary_search(faults, ranks[i]);
    rank.group = numbered ? groups[i] : 0;
    if (isDescribed) {
      rank.device = toQString(view::deviceNear(journal, snapshot.position, rank.rank));
      const view::RankRole role = roles.of(rank.rank);
      rank.role = toQString(view::roleText(role));
      rank.shortRole = toQString(view::shortRoleText(role));
      rank.localShape = localShapes.by(rank.rank);
    }
    scene.ranks.push_back(std::move(rank));
  }

  if (!recordedMesh(journal)) {
    return scene;  // the axis of shownMesh() is not one of the program
  }
  const QRectF above(origin.x(), origin.y() - kMeshFrame - kAxisName, area.width() - origin.x(),
                     kAxisName);
  const QRectF beside(origin.x() - kMeshFrame - kAxisName, origin.y(), kAxisName,
                      area.height() - origin.y());
  addAxes(scene, *mesh, above, beside);
  return scene;
}

}  // namespace shardlens
