#include "ui/scenes/timeline_scene.h"

#include "core/view/words/collective_wait.h"
#include "core/view/words/early_end.h"
#include "core/view/words/event_words.h"
#include "ui/scenes/timeline_exposed.h"
#include "ui/scenes/timeline_flows.h"
#include "ui/scenes/timeline_groups.h"
#include "ui/scenes/timeline_texts.h"
#include "ui/text/format.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace shardlens {
namespace {

using view::SpanKind;
using view::TimelineSpan;

constexpr double kLeastBar = 3;      // pixels; shorter spans are drawn as columns
constexpr double kMomentWidth = 9;   // pixels per moment; only one is drawn in them
constexpr double kMomentHeight = 9;  // under the bars
constexpr double kLeastText = 18;    // pixels
constexpr double kLeastMark = 8;     // pixels

// Limits x to just outside of the window, because very large coordinates cannot be drawn.
double clamped(double x, const TimelineWindow& window) {
  return std::clamp(x, -8.0, window.width + 8);
}

view::TimelineGrid gridOf(const TimelineWindow& window) {
  return {window.from, window.to, std::max(1, static_cast<int>(window.width))};
}

// The text of a narrow bar: the abbreviation of a collective, the number of a step.
QString briefText(const Event& event) {
  if (event.kind == EventKind::Step && event.step >= 0) return QString::number(event.step + 1);
  return shortCallName(event.collective());
}

QString barText(const Journal& journal, const TimelineSpan& span, view::Notation notation) {
  const Event event = journal.at(span.event);
  const QString name =
      toQString(view::PlacementWords(journal, event.subject, notation).route(journal, event));
  return span.kind == SpanKind::Collective && event.bytes > 0
             ? name + QStringLiteral("  ") + bytesText(event.bytes)
             : name;
}

class Laying {
 public:
  Laying(const Journal& journal, const view::Timeline& timeline, const view::TimelineRows& rows,
         const TimelineWindow& window, view::Notation notation)
      : journal_(journal),
        timeline_(timeline),
        rows_(rows),
        window_(window),
        notation_(notation),
        flows_(journal) {}

  TimelineScene scene() {
    const std::int64_t end = std::min(rows_.size(), window_.firstRow + window_.rows);
    for (std::int64_t row = window_.firstRow; row < end; ++row) layLane(row);
    for (TimelineFrame& frame : scene_.frames) {
      if (frame.rect.width() >= kLeastText) {
        frame.text =
            barText(journal_, {.event = frame.event, .kind = SpanKind::Collective}, notation_);
        frame.brief = briefText(journal_.at(frame.event));
      }
    }
    layGaps();
    scene_.flows = flows_.arrows();
    separateTexts(scene_, window_);
    scene_.exposed = exposedShares(timeline_, window_);
    return std::move(scene_);
  }

 private:
  void layLane(std::int64_t number) {
    TimelineLane lane;
    lane.row = rows_.at(number);
    lane.rank = timeline_.rankOf(lane.row.lane);
    const double top = static_cast<double>(number - window_.firstRow) * window_.rowHeight;
    lane.rect = QRectF(0, top + 2, window_.width, window_.rowHeight - kMomentHeight - 3);
    const auto tracks = timeline_.tracksOf(lane.rank);
    const bool repeatsLast = !scene_.lanes.empty() && tracks == tracks_;
    lane.columns =
        repeatsLast ? scene_.lanes.back().columns : timeline_.columns(lane.rank, gridOf(window_));
    tracks_ = tracks;
    layBars(lane, repeatsLast);
    layMoments(lane);
    layDivergence(lane);
    scene_.lanes.push_back(std::move(lane));
  }

  void layBars(TimelineLane& lane, bool repeatsLast) {
    const double nanoseconds = static_cast<double>(window_.to - window_.from) / window_.width;
    const auto least = std::max<std::int64_t>(1, std::llround(nanoseconds * kLeastBar));
    if (!repeatsLast) spans_ = timeline_.spans(lane.rank, window_.from, window_.to, least);
    for (const TimelineSpan& span : spans_) {
      const bool isRunning = span.end == TimelineSpan::kForever;
      const std::int64_t end =
          isRunning ? std::max(window_.to, span.begin + least)
                    : std::min(span.end, std::max(timeline_.end(), span.begin + least));
      std::int64_t resumed = span.begin;
      if (isRunning && span.kind == SpanKind::Collective && waitOf(span.event) != nullptr) {
        addBar(lane, span, span.begin, end, /*isWaiting=*/true);
        flows_.addWaiting(span.event, timeline_.groupOf(span.event, lane.rank),
                          lane.bars.back().rect);
        join(lane, span);
        continue;
      }
      if (span.wait > 0) {
        resumed = std::min(span.waitBegin + span.wait, end);
        if (span.begin < span.waitBegin) {
          addBar(lane, span, span.begin, span.waitBegin, /*isWaiting=*/false);
        }
        addBar(lane, span, span.waitBegin, resumed, /*isWaiting=*/true);
        flows_.addWaiting(span.event, timeline_.groupOf(span.event, lane.rank),
                          lane.bars.back().rect);
      }
      if (resumed == end) continue;
      addBar(lane, span, resumed, end, /*isWaiting=*/false);
      if (span.kind != SpanKind::Collective) continue;
      const QRectF& rect = lane.bars.back().rect;
      if (span.late > 0) {
        flows_.addLate(span.event, timeline_.groupOf(span.event, lane.rank), rect);
      }
      flows_.addMessage(span.event, rect);
      join(lane, span);
    }
    // A collective's text is in its frame.
    for (std::size_t i = 0; i < lane.bars.size(); ++i) {
      TimelineBar& bar = lane.bars[i];
      double right = std::min(bar.rect.right(), window_.width);
      if (i + 1 < lane.bars.size()) right = std::min(right, lane.bars[i + 1].rect.left());
      bar.room = QRectF(QPointF(std::max(0.0, bar.rect.left()) + 5, bar.rect.top()),
                        QPointF(right - 3, bar.rect.bottom()));
      if (bar.room.width() < kLeastText || bar.kind == SpanKind::Collective) continue;
      bar.text = barText(journal_, {.event = bar.event, .kind = bar.kind}, notation_);
      bar.brief = briefText(journal_.at(bar.event));
    }
  }

  void addBar(TimelineLane& lane, const TimelineSpan& span, std::int64_t begin, std::int64_t end,
              bool isWaiting) {
    const double left = clamped(window_.xOf(begin), window_);
    const double right = clamped(window_.xOf(end), window_);
    QRectF rect(left, lane.rect.top(), std::max(0.5, right - left), lane.rect.height());
    // An inner span is lower, so that the edges of the outer one stay visible.
    if (span.kind >= SpanKind::Compute) rect.adjust(0, 2, 0, -2);
    if (isWaiting) rect.adjust(0, rect.height() / 2 - 3, 0, 3 - rect.height() / 2);
    lane.bars.push_back({rect,
                         span.kind,
                         span.event,
                         isWaiting,
                         !isWaiting && span.late > 0,
                         isImplicit(span),
                         {},
                         {}});
  }

  bool isImplicit(const TimelineSpan& span) {
    if (span.kind != SpanKind::Operator) return span.isImplicit;
    const auto found = implicit_.try_emplace(span.event);
    if (found.second) {
      found.first->second = view::isImplicitCommunication(journal_, span.event);
    }
    return found.first->second;
  }

  // Returns which ranks a collective waits for; nullptr if all have called it.
  const view::CollectiveWait* waitOf(EventId event) {
    const auto found = waits_.try_emplace(event);
    if (found.second) found.first->second = view::collectiveWait(journal_, event);
    return found.first->second ? &*found.first->second : nullptr;
  }

  // Marks the ranks that did not call a collective in which other ranks still wait.
  void layGaps() {
    for (const auto& [event, wait] : waits_) {
      if (!wait || wait->waiting.empty()) continue;
      const double left = clamped(window_.xOf(wait->since), window_);
      const QString name = toQString(journal_.name(journal_.at(event)));
      for (TimelineLane& lane : scene_.lanes) {
        if (!std::binary_search(wait->missing.begin(), wait->missing.end(), lane.rank)) continue;
        const QRectF rect(left, lane.rect.top(), window_.width - left, lane.rect.height());
        if (rect.width() <= 0) continue;
        lane.gaps.push_back({rect, event, QObject::tr("did not call %1").arg(name),
                             toQString(view::waitText(journal_, *wait))});
        flows_.addMissing(event, timeline_.groupOf(event, lane.rank), rect);
      }
    }
    for (TimelineLane& lane : scene_.lanes) {
      if (lane.gaps.empty()) layEarlyEnd(lane);
    }
  }

  // Marks a rank whose recording ends before those of the ranks that need it.
  void layEarlyEnd(TimelineLane& lane) const {
    const auto end = view::earlyEndOf(journal_, lane.rank);
    if (!end) return;
    const double left = clamped(window_.xOf(end->time), window_);
    const QRectF rect(left, lane.rect.top(), window_.width - left, lane.rect.height());
    if (rect.width() <= 0) return;
    const QString text =
        end->error == 0 ? QObject::tr("ended early") : QObject::tr("ended by error");
    lane.gaps.push_back({rect, end->missed, text, toQString(earlyEndText(journal_, *end))});
  }

  // Adds the lane's last bar to the collective's frame in the previous lane, or begins a frame.
  void join(const TimelineLane& lane, const TimelineSpan& span) {
    const EventId event = span.event;
    const bool isWaiting = lane.bars.back().isWaiting;
    QRectF rect = lane.bars.back().rect;
    if (isWaiting) {  // the bar is lower than its text
      rect.setTop(lane.rect.top() + 2);
      rect.setBottom(lane.rect.bottom() - 2);
    }
    const int group = timeline_.groupOf(event, lane.rank);
    const auto key = std::pair(event, group);
    const auto open = open_.find(key);
    if (open != open_.end() && open->second.lane + 1 == scene_.lanes.size()) {
      QRectF& frame = scene_.frames[open->second.frame].rect;
      frame = frame.united(rect);
      open->second.lane = scene_.lanes.size();
      return;
    }
    open_[key] = {scene_.frames.size(), scene_.lanes.size()};
    scene_.frames.push_back({rect, event, group, span.isImplicit, isWaiting, {}, {}});
  }

  void layDivergence(TimelineLane& lane) {
    const Divergence* divergence = timeline_.divergenceOf(lane.rank);
    if (divergence == nullptr) return;
    const auto part = journal_.part(divergence->other.event, lane.rank);
    if (!part) return;
    const bool isRunning = part->duration == Event::kRunning;
    const double left = clamped(window_.xOf(part->time), window_);
    const double right =
        isRunning ? window_.width : clamped(window_.xOf(part->time + part->duration), window_);
    const double more = std::max(0.0, (kLeastMark - (right - left)) / 2);
    const QRectF rect(left - more, lane.rect.top(), right - left + 2 * more, lane.rect.height());
    if (rect.right() <= 0 || rect.left() >= window_.width) return;
    lane.divergence = {rect, QObject::tr("diverges")};
  }

  // Of moments that would overlap, only the most important one is drawn.
  void layMoments(TimelineLane& lane) {
    const double y = lane.rect.bottom() + kMomentHeight / 2;
    const auto room = static_cast<std::size_t>(kMomentWidth);
    for (std::size_t first = 0; first < lane.columns.size(); first += room) {
      const std::size_t end = std::min(lane.columns.size(), first + room);
      for (const auto kind : {SpanKind::Error, SpanKind::Miss, SpanKind::Mask, SpanKind::Hit}) {
        const auto begin = lane.columns.begin();
        const auto found = std::find_if(begin + static_cast<std::ptrdiff_t>(first),
                                        begin + static_cast<std::ptrdiff_t>(end),
                                        [&](const auto& column) { return column.has(kind); });
        if (found - begin == static_cast<std::ptrdiff_t>(end)) continue;
        lane.moments.push_back({QPointF(static_cast<double>(found - begin) + 0.5, y), kind});
        break;
      }
    }
  }

  struct Open {
    std::size_t frame;
    std::size_t lane;  // the last lane that it covers
  };

  const Journal& journal_;
  const view::Timeline& timeline_;
  const view::TimelineRows& rows_;
  const TimelineWindow& window_;
  view::Notation notation_;
  FlowLayout flows_;
  TimelineScene scene_;
  // Tracks and spans of the last lane, reused because ranks of one process share them.
  std::vector<const view::TimelineTrack*> tracks_;
  std::vector<TimelineSpan> spans_;
  std::map<std::pair<EventId, int>, Open> open_;                  // frames by event and group
  std::map<EventId, std::optional<view::CollectiveWait>> waits_;  // of unfinished collectives
  std::map<EventId, bool>
      implicit_;  // of redistributions, whether they are implicit and communicate
};

}  // namespace

QRectF TimelineFrame::textRoom() const {
  return QRectF(QPointF(std::max(rect.left(), 0.0), rect.top()), rect.bottomRight())
      .adjusted(6, 0, -6, 0);
}

// Reads the parts of the interval one after the other, each for all ranks, because the ranks of a
// collective read the same blocks of the recording.
bool prepareTimeline(const view::Timeline& timeline, const view::TimelineRows& rows,
                     const TimelineWindow& window, const std::function<bool()>& mayRead) {
  constexpr std::int64_t kParts = 16;
  std::vector<int> ranks = exposedRanks(timeline);
  const std::int64_t end = std::min(rows.size(), window.firstRow + window.rows);
  for (std::int64_t row = window.firstRow; row < end; ++row) {
    ranks.push_back(timeline.rankOf(rows.at(row).lane));
  }
  const view::TimelineGrid whole = gridOf(window);
  const auto prepare = [&](const view::TimelineGrid& grid) {
    return std::ranges::all_of(ranks,
                               [&](int rank) { return timeline.prepare(rank, grid, mayRead); });
  };
  const std::int64_t length = window.length() / kParts;
  for (std::int64_t part = 0; length > 0 && part < kParts; ++part) {
    const std::int64_t from = window.from + part * length;
    const int columns = std::max<int>(1, whole.columns() / kParts);
    if (!prepare({from, from + length, columns})) return false;
  }
  return prepare(whole);
}

TimelineScene layoutTimeline(const Journal& journal, const view::Timeline& timeline,
                             const view::TimelineRows& rows, const TimelineWindow& window,
                             EventId position, view::Notation notation) {
  TimelineScene scene = Laying(journal, timeline, rows, window, notation).scene();
  markPosition(scene, timeline, window, position);
  return scene;
}

void markPosition(TimelineScene& scene, const view::Timeline& timeline,
                  const TimelineWindow& window, EventId position) {
  for (TimelineLane& lane : scene.lanes) {
    const auto now = timeline.newestOf(lane.rank, position);
    lane.mark = now ? clamped(window.xOf(now->begin), window) : -8;
  }
}

std::optional<TimelineSpan> spanAt(const view::Timeline& timeline, const TimelineWindow& window,
                                   int rank, double x) {
  const std::int64_t time = window.timeAt(x);
  const auto newest = timeline.newestAt(rank, window.timeAt(x + 4));
  if (newest && std::abs(window.xOf(newest->begin) - x) <= 4 && isMoment(newest->kind)) {
    return newest;
  }
  const auto around = timeline.spans(rank, time, time + 1, 1);
  const auto inside = std::find_if(around.rbegin(), around.rend(),
                                   [time](const auto& span) { return span.end > time; });
  return inside == around.rend() ? std::nullopt : std::optional(*inside);
}

}  // namespace shardlens
