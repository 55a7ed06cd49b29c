#include "ui/scenes/timeline_texts.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/timeline_groups.h"
#include "ui/text/compact.h"

#include <QFontMetricsF>
#include <QObject>
#include <QStringList>
#include <algorithm>

namespace shardlens {
namespace {

// The frames, and the places of the texts that stay, by lane.
class TakenPlaces {
 public:
  TakenPlaces(const TimelineScene& scene, double rowHeight)
      : taken_(scene.lanes.size()), frames_(scene.lanes.size()), rowHeight_(rowHeight) {
    for (const TimelineFrame& frame : scene.frames) addFrame(frame.rect);
  }

  void addFrame(const QRectF& frame) {
    for (std::size_t lane = laneAt(frame.top()); lane < endOf(frame); ++lane) {
      frames_[lane].push_back(frame);
    }
  }

  // Returns the room up to the first side of a frame.
  QRectF beforeFrames(QRectF room) const {
    for (const double x : sidesIn(room)) room.setRight(std::min(room.right(), x));
    return room;
  }

  // Returns the widest part of the room between sides of frames.
  QRectF betweenFrames(const QRectF& room) const {
    std::vector<double> sides = sidesIn(room);
    if (sides.empty()) return room;
    sides.push_back(room.right());
    std::ranges::sort(sides);
    double left = room.left();
    QRectF widest;
    for (const double x : sides) {
      if (x - left > widest.width()) widest = QRectF(left, room.top(), x - left, room.height());
      left = x;
    }
    return widest.adjusted(2, 0, -2, 0);
  }

  // Takes the place for the text, or clears the text if another one is there.
  void take(QString& text, const QRectF& place) {
    const auto touches = [&](const QRectF& other) { return other.intersects(place); };
    const std::size_t begin = laneAt(place.top());
    const std::size_t end = endOf(place);
    for (std::size_t lane = begin; lane < end; ++lane) {
      if (std::ranges::any_of(taken_[lane], touches)) return text.clear();
    }
    for (std::size_t lane = begin; lane < end; ++lane) taken_[lane].push_back(place);
  }

 private:
  // Returns the left and right sides of frames that cross the room.
  std::vector<double> sidesIn(const QRectF& room) const {
    std::vector<double> sides;
    for (std::size_t lane = laneAt(room.top()); lane < endOf(room); ++lane) {
      for (const QRectF& frame : frames_[lane]) {
        if (!frame.intersects(room)) continue;
        for (const double x : {frame.left(), frame.right()}) {
          if (x > room.left() && x < room.right()) sides.push_back(x);
        }
      }
    }
    return sides;
  }
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

// Returns the first text that fits; empty if none does.
QString fitting(const QStringList& texts, const QFontMetricsF& metrics, double width) {
  const auto fits = [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; };
  const auto found = std::ranges::find_if(texts, fits);
  return found == texts.end() ? QString() : *found;
}

// Returns the longest form of the text that fits: the whole text, without the bytes, without the
// namespace of the operator, without its overload, `brief`, or without one the beginning of the
// text. Empty if fewer than four letters of that fit.
QString fittedText(const QString& text, const QString& brief, const QFontMetricsF& metrics,
                   double width) {
  constexpr qsizetype kLeast = 4;
  QStringList forms{text, compactPlacements(text)};
  QString name = forms.last().section(QStringLiteral("  "), 0, 0);
  forms << name;
  if (name.startsWith(QStringLiteral("aten."))) {
    name = name.mid(5);
    forms << name << name.section(u'.', 0, 0);
  }
  if (!brief.isEmpty()) forms << brief;
  const QString form = fitting(forms, metrics, width);
  if (!form.isEmpty() || !brief.isEmpty()) return form;
  const QString begin = metrics.elidedText(forms.last(), Qt::ElideRight, width);
  return begin.size() > kLeast ? begin : QString();
}

// Places the text after the mark, or before it if there is no room.
void placeBeside(TimelineDivergence& mark, const TimelineWindow& window,
                 const QFontMetricsF& metrics, TakenPlaces& places) {
  constexpr double kBeside = 4;
  QRectF room(0, 0, metrics.horizontalAdvance(mark.text), metrics.height());
  room.moveCenter(mark.rect.center());
  room.moveLeft(mark.rect.right() + kBeside);
  if (room.right() > window.width) room.moveRight(mark.rect.left() - kBeside);
  mark.room = room;
  places.take(mark.text, room);
}

}  // namespace

void separateTexts(TimelineScene& scene, const TimelineWindow& window) {
  TakenPlaces places(scene, window.rowHeight);
  const QFontMetricsF bold(textFont(11, Weight::Bold));
  const QFontMetricsF plain(textFont(11));
  for (TimelineLane& lane : scene.lanes) {
    if (lane.divergence) placeBeside(*lane.divergence, window, plain, places);
  }
  for (TimelineFrame& frame : scene.frames) {
    if (frame.text.isEmpty()) continue;
    const QRectF whole = frame.textRoom();
    frame.room = QRectF(whole.left(), 0, whole.width(), bold.height());
    frame.room.moveCenter(whole.center());
    frame.room = places.betweenFrames(frame.room);
    frame.text = fittedText(frame.text, frame.brief, bold, frame.room.width());
    if (frame.text.isEmpty()) continue;
    const double width = std::min(bold.horizontalAdvance(frame.text), frame.room.width());
    QRectF place(0, 0, width, bold.height());
    place.moveCenter(frame.room.center());
    if (frame.isWaiting) place.moveLeft(frame.room.left());
    places.take(frame.text, place);
  }
  groupCalls(scene, window);
  for (TimelineLane& lane : scene.lanes) {
    for (TimelineGroup& group : lane.groups) {
      group.text = fitting(groupTexts(group), bold, group.room.width());
      if (group.text.isEmpty()) continue;
      QRectF place(0, 0, bold.horizontalAdvance(group.text), bold.height());
      place.moveCenter(group.room.center());
      if (group.calls == 1) place.moveLeft(group.room.left());
      group.room = place;
      places.take(group.text, place);
    }
    std::erase_if(lane.groups, [](const TimelineGroup& group) { return group.text.isEmpty(); });
    for (const TimelineGroup& group : lane.groups) {
      if (group.calls > 1) places.addFrame(group.rect);
    }
    const auto takeAt = [&](QString& text, const QString& brief, const QRectF& whole) {
      if (text.isEmpty()) return;
      const QRectF room = places.beforeFrames(whole);
      text = fittedText(text, brief, plain, room.width());
      if (text.isEmpty()) return;
      const double width = std::min(plain.horizontalAdvance(text), room.width());
      places.take(
          text, QRectF(room.left(), room.center().y() - plain.height() / 2, width, plain.height()));
    };
    for (TimelineGap& gap : lane.gaps) {
      takeAt(gap.text, QObject::tr("absent"), gap.rect.adjusted(6, 0, -6, 0));
    }
    for (TimelineBar& bar : lane.bars) takeAt(bar.text, bar.brief, bar.room);
  }
}

}  // namespace shardlens
