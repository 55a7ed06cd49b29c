#include "ui/scenes/buffer_scene.h"

#include "core/model/route.h"
#include "core/model/shard_geometry.h"
#include "core/trace/journal/tensor_ranks.h"
#include "ui/scenes/tensor_view.h"

#include <algorithm>

namespace shardlens {
namespace {

// Returns the last redistribution before an error in the span that contains the error; 0 if there
// is none. The error ends the spans inside of a step.
EventId redistributionBefore(const Journal& journal, EventId error) {
  if (error == 0) {
    return 0;
  }
  EventId id = error - 1;
  while (id > journal.at(error).parent && journal.at(id).kind != EventKind::Redistribute) --id;
  return id > journal.at(error).parent ? id : 0;
}

}  // namespace

std::vector<MaskBits> maskBits(const Journal& journal, TensorId mask, EventId position) {
  std::vector<MaskBits> result;
  for (const int rank : journal.ranksOf(mask)) {
    const auto value = journal.value(mask, rank, position);
    const Content elements = value ? journal.elements(*value) : nullptr;
    if (elements == nullptr) {
      continue;
    }
    MaskBits bits;
    bits.rank = rank;
    for (const std::byte bit : *elements) {
      bits.bits.push_back(bit != std::byte{0});
      bits.masked += bits.bits.back() ? 1 : 0;
    }
    result.push_back(std::move(bits));
  }
  return result;
}

std::vector<MaskBits> refusedBits(const Journal& journal, const Snapshot& snapshot) {
  const EventId id = redistributionBefore(journal, snapshot.newestError);
  if (id == 0 || journal.route(journal.at(id).route).empty()) {
    return {};
  }
  const TensorRecord ids = journal.tensor(journal.at(id).subject);
  Placements rows = journal.route(journal.at(id).route).back();
  const auto mask = std::find_if(rows.begin(), rows.end(), isMaskPartial);
  const bool isWhole = std::all_of(ids.placements.begin(), ids.placements.end(), isReplicate);
  const auto mesh = recordedMesh(journal);
  if (mask == rows.end() || !isWhole || !mesh || static_cast<int>(rows.size()) != mesh->ndim()) {
    return {};
  }
  const MaskPartial table = std::get<MaskPartial>(*mask);
  for (Placement& each : rows) {
    each = isMaskPartial(each) ? Placement(Shard{table.offsetDim}) : Placement(Replicate{});
  }
  std::vector<MaskBits> result;
  for (const int rank : journal.ranksOf(ids.id)) {
    const auto value = wholeValue(journal, ids.id, rank, snapshot.position);
    if (value == nullptr || !value->data) {
      continue;
    }
    const Block owned = ownedRuns(table.offsetShape, *mesh, rows, rank);
    MaskBits bits;
    bits.rank = rank;
    for (std::int64_t at = 0; at < elementCount(value->shape); ++at) {
      const auto row = static_cast<std::int64_t>(elementAt(ids.dtype, value->data->data(), at));
      bits.bits.push_back(localIndex(owned[static_cast<std::size_t>(table.offsetDim)], row) < 0);
      bits.masked += bits.bits.back() ? 1 : 0;
    }
    result.push_back(std::move(bits));
  }
  return result;
}

BitsScene layoutBits(const std::vector<MaskBits>& ranks, QSizeF area) {
  constexpr double kDigit = 7;
  constexpr double kLargest = 26;
  BitsScene scene;
  if (ranks.empty()) {
    return scene;
  }
  std::int64_t longest = 1;
  qsizetype digits = 1;
  for (const MaskBits& rank : ranks) {
    longest = std::max(longest, static_cast<std::int64_t>(rank.bits.size()));
    digits = std::max(digits, QString::number(rank.rank).size());
  }
  const double label = 6 + kDigit * static_cast<double>(digits + 1);
  const double room = std::max(area.width() - label, 5.0);
  const auto fitting = std::max<std::int64_t>(1, static_cast<std::int64_t>(room / 5));
  scene.each = (longest + fitting - 1) / fitting;
  const std::int64_t squares = (longest + scene.each - 1) / scene.each;
  const double pitchX = std::min(room / static_cast<double>(squares), kLargest);
  const double pitchY =
      std::clamp(area.height() / static_cast<double>(ranks.size()), 13.0, kLargest);
  const double gap = pitchX > 8 ? 4 : 1;
  // The cells are square if there is room.
  const double height = pitchX > 8 ? std::min(pitchX, pitchY) - gap : pitchY - 4;
  for (std::size_t row = 0; row < ranks.size(); ++row) {
    const auto& bits = ranks[row].bits;
    const double y = pitchY * static_cast<double>(row);
    scene.labels.emplace_back(QRectF(0, y, label - 4, pitchY),
                              QStringLiteral("r%1").arg(ranks[row].rank));
    const auto count = static_cast<std::int64_t>(bits.size());
    for (std::int64_t i = 0; i < count; i += scene.each) {
      const auto end = std::min(count, i + scene.each);
      const auto masked = std::count(bits.begin() + i, bits.begin() + end, true);
      scene.squares.push_back({QRectF(label + pitchX * static_cast<double>(i / scene.each),
                                      y + (pitchY - height) / 2, pitchX - gap, height),
                               static_cast<double>(masked) / static_cast<double>(end - i)});
    }
  }
  scene.size = QSizeF(label + pitchX * static_cast<double>(squares),
                      pitchY * static_cast<double>(ranks.size()));
  return scene;
}

std::vector<QPointF> refcountSteps(const std::vector<BufferHistory::Change>& changes, EventId end) {
  std::vector<QPointF> corners{QPointF(0, 0)};
  double count = 0;
  for (const auto& [id, refcount] : changes) {
    if (refcount == count) {
      continue;
    }
    corners.emplace_back(id, count);
    count = refcount;
    corners.emplace_back(id, count);
  }
  corners.emplace_back(end, count);
  return corners;
}

}  // namespace shardlens
