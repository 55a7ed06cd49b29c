#include "ui/widgets/timeline_words.h"

#include "core/base/wrapped_sum.h"
#include "core/model/rank_ranges.h"
#include "core/view/words/event_sentences.h"
#include "ui/text/format.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace shardlens {

QString groupWords(const Journal& journal, const view::Timeline& timeline, int rank,
                   const TimelineGroup& group) {
  constexpr std::size_t kMost = 100'000;  // spans that are read
  struct Sum {
    int calls = 0;
    std::int64_t bytes = 0, time = 0, wait = 0;
  };
  std::map<std::string, Sum, std::less<>> sums;
  for (const view::TimelineSpan& span :
       timeline.spans(rank, group.from, group.to, /*least=*/0, kMost)) {
    const bool isIn = span.begin >= group.from && span.begin < group.to;
    if (span.kind != view::SpanKind::Collective || !isIn) continue;
    Sum& sum = sums[std::string(journal.name(journal.at(span.event)))];
    ++sum.calls;
    const auto part = journal.part(span.event, rank);
    increase(sum.bytes, part ? part->bytes : 0);
    increase(sum.time, std::min(span.end, timeline.end()) - span.begin);
    increase(sum.wait, std::min(span.wait, timeline.end() - span.begin));
  }
  QStringList lines;
  for (const auto& [name, sum] : sums) {
    QStringList parts{QObject::tr("%1 × %2").arg(sum.calls).arg(toQString(name))};
    if (sum.bytes > 0) parts << bytesText(sum.bytes);
    parts << durationText(sum.time);
    if (sum.wait > 0) parts << QObject::tr("waiting %1").arg(durationText(sum.wait));
    lines << parts.join(QStringLiteral(", "));
  }
  return lines.join(u'\n');
}

QString similarRanksText(const std::vector<int>& ranks) {
  std::vector<RankRange> ranges;
  for (const int rank : ranks) ranges.push_back({rank, rank});
  return QObject::tr("%1 similar ranks: %2")
      .arg(ranks.size())
      .arg(toQString(rangesText(united(std::move(ranges)))));
}

QString timelineWords(const Journal& journal, const view::TimelineSpan& span, int rank,
                      view::Notation notation) {
  const auto tr = [](const char* text) { return QObject::tr(text); };
  QStringList lines;
  lines << toQString(view::EventSentences(journal, notation).text(span.event).plain());
  QString when = tr("%1 at %2").arg(ranksLabel({rank}), durationText(span.begin));
  if (!isMoment(span.kind)) {
    const bool isRunning = span.end == view::TimelineSpan::kForever;
    when +=
        isRunning ? tr(", unfinished") : tr(", for %1").arg(durationText(span.end - span.begin));
  }
  lines << when;
  if (const auto event = journal.at(span.event); event.device != 0) {
    lines << toQString(journal.text(event.device));
  }
  if (span.wait > 0) {
    lines << (span.begin + span.wait >= view::TimelineSpan::kForever
                  ? tr("waits for ranks that have not arrived")
                  : tr("waits for other ranks: %1").arg(durationText(span.wait)));
  }
  if (span.late > 0) {
    lines << tr("arrives last, %1 after the first rank").arg(durationText(span.late));
  }
  return lines.join(u'\n');
}

}  // namespace shardlens
