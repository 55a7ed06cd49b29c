#include "ui/widgets/timeline_words.h"

#include "core/view/words/event_sentences.h"
#include "ui/text/format.h"

#include <QObject>
#include <QStringList>

namespace shardlens {

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
