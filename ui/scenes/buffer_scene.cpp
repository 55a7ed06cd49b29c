#include "ui/scenes/buffer_scene.h"

#include <algorithm>

namespace shardlens {

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
