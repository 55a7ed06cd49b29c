#include "ui/scenes/timeline_texts.h"

#include "ui/scenes/theme.h"
#include "ui/text/compact.h"

#include <QFontMetricsF>
#include <QStringList>
#include <algorithm>

namespace shardlens {
namespace {

// The places of the texts that stay, by lane.
class TakenPlaces {
 public:
  TakenPlaces(std::size_t lanes, double rowHeight) : taken_(lanes), rowHeight_(rowHeight) {}

  // Takes the place for the text, or clears the text if another one is there.
  void take(QString& text, const QRectF& place) {
    const auto touches = [&](const QRectF& other) { return other.intersects(place); };
    const std::size_t begin = laneAt(place.top());
    const std::size_t end = std::min(laneAt(place.bottom()) + 1, taken_.size());
    for (std::size_t lane = begin; lane < end; ++lane) {
      if (std::any_of(taken_[lane].begin(), taken_[lane].end(), touches)) return text.clear();
    }
    for (std::size_t lane = begin; lane < end; ++lane) taken_[lane].push_back(place);
  }

 private:
  std::size_t laneAt(double y) const {
    return std::min(static_cast<std::size_t>(std::max(0.0, y / rowHeight_)), taken_.size());
  }

  std::vector<std::vector<QRectF>> taken_;
  double rowHeight_;
};

// Returns the longest form of the text that fits: the whole text, without the bytes, without the
// namespace of the operator, without its overload, or the beginning of that. Empty if fewer than
// four letters fit.
QString fittedText(const QString& text, const QFontMetricsF& metrics, double width) {
  constexpr qsizetype kLeast = 4;
  QStringList forms{text, compactPlacements(text)};
  QString name = forms.last().section(QStringLiteral("  "), 0, 0);
  forms << name;
  if (name.startsWith(QStringLiteral("aten."))) {
    name = name.mid(5);
    forms << name << name.section(u'.', 0, 0);
  }
  for (const QString& form : forms) {
    if (metrics.horizontalAdvance(form) <= width) return form;
  }
  const QString begin = metrics.elidedText(forms.last(), Qt::ElideRight, width);
  return begin.size() > kLeast ? begin : QString();
}

}  // namespace

void separateTexts(TimelineScene& scene, double rowHeight) {
  TakenPlaces places(scene.lanes.size(), rowHeight);
  const QFontMetricsF bold(textFont(11, Weight::Bold));
  const QFontMetricsF plain(textFont(11));
  for (TimelineFrame& frame : scene.frames) {
    const QRectF room = frame.textRoom();
    frame.text = fittedText(frame.text, bold, room.width());
    if (frame.text.isEmpty()) continue;
    const double width = std::min(bold.horizontalAdvance(frame.text), room.width());
    QRectF place(0, 0, width, bold.height());
    place.moveCenter(room.center());
    places.take(frame.text, place);
  }
  for (TimelineLane& lane : scene.lanes) {
    const auto takeAt = [&](QString& text, const QRectF& room) {
      text = fittedText(text, plain, room.width());
      if (text.isEmpty()) return;
      const double width = std::min(plain.horizontalAdvance(text), room.width());
      places.take(
          text, QRectF(room.left(), room.center().y() - plain.height() / 2, width, plain.height()));
    };
    for (TimelineGap& gap : lane.gaps) takeAt(gap.text, gap.rect.adjusted(6, 0, -6, 0));
    for (TimelineBar& bar : lane.bars) takeAt(bar.text, bar.room);
  }
}

}  // namespace shardlens
