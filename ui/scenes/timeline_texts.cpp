#include "ui/scenes/timeline_texts.h"

#include "ui/scenes/theme.h"
#include "ui/text/compact.h"

#include <QFontMetricsF>
#include <QStringList>
#include <algorithm>

namespace shardlens {
namespace {

// The frames, and the places of the texts that stay, by lane.
class TakenPlaces {
 public:
  TakenPlaces(const TimelineScene& scene, double rowHeight)
      : taken_(scene.lanes.size()), frames_(scene.lanes.size()), rowHeight_(rowHeight) {
    for (const TimelineFrame& frame : scene.frames) {
      for (std::size_t lane = laneAt(frame.rect.top()); lane < endOf(frame.rect); ++lane) {
        frames_[lane].push_back(frame.rect);
      }
    }
  }

  // Returns the room up to the first frame that begins in it.
  QRectF beforeFrames(QRectF room) const {
    for (std::size_t lane = laneAt(room.top()); lane < endOf(room); ++lane) {
      for (const QRectF& frame : frames_[lane]) {
        const bool begins = frame.left() > room.left() && frame.left() < room.right();
        if (begins && frame.intersects(room)) room.setRight(frame.left());
      }
    }
    return room;
  }

  // Takes the place for the text. Clears the text if another one is there, or if a side of a frame
  // crosses it.
  void take(QString& text, const QRectF& place) {
    const auto touches = [&](const QRectF& other) { return other.intersects(place); };
    const auto crosses = [&](const QRectF& frame) {
      return frame.intersects(place) &&
             (frame.left() > place.left() || frame.right() < place.right());
    };
    const std::size_t begin = laneAt(place.top());
    const std::size_t end = endOf(place);
    for (std::size_t lane = begin; lane < end; ++lane) {
      if (std::ranges::any_of(taken_[lane], touches)) return text.clear();
      if (std::ranges::any_of(frames_[lane], crosses)) return text.clear();
    }
    for (std::size_t lane = begin; lane < end; ++lane) taken_[lane].push_back(place);
  }

 private:
  std::size_t laneAt(double y) const {
    return std::min(static_cast<std::size_t>(std::max(0.0, y / rowHeight_)), taken_.size());
  }
  std::size_t endOf(const QRectF& rect) const {
    return std::min(laneAt(rect.bottom()) + 1, taken_.size());
  }

  std::vector<std::vector<QRectF>> taken_;
  std::vector<std::vector<QRectF>> frames_;
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
  TakenPlaces places(scene, rowHeight);
  const QFontMetricsF bold(textFont(11, Weight::Bold));
  const QFontMetricsF plain(textFont(11));
  for (TimelineFrame& frame : scene.frames) {
    const QRectF room = frame.textRoom();
    frame.text = fittedText(frame.text, bold, room.width());
    if (frame.text.isEmpty()) continue;
    const double width = std::min(bold.horizontalAdvance(frame.text), room.width());
    QRectF place(0, 0, width, bold.height());
    place.moveCenter(room.center());
    if (frame.isWaiting) place.moveLeft(room.left());
    places.take(frame.text, place);
  }
  for (TimelineLane& lane : scene.lanes) {
    const auto takeAt = [&](QString& text, const QRectF& whole) {
      if (text.isEmpty()) return;
      const QRectF room = places.beforeFrames(whole);
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
