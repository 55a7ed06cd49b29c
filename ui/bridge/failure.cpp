#include "ui/bridge/failure.h"

#include <QCoreApplication>

namespace shardlens {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Failure", text); }

QString textOf(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString lossText(const Journal& journal, const std::vector<int>& lost) {
  if (lost.empty()) {
    return {};
  }
  if (!journal.isMerged()) {
    return tr("The process of this run died: it ended without closing its recording.");
  }
  QStringList ranks;
  for (const int rank : lost) {
    ranks << QString::number(rank);
  }
  return (lost.size() == 1
              ? tr("Rank %1 died: its process ended without closing its recording.")
              : tr("Ranks %1 died: their process ended without closing its recording."))
      .arg(ranks.join(QStringLiteral(", ")));
}

// "Step 3, y = aten.embedding(w, x): what was wrong".
QString errorText(const Journal& journal, EventId error) {
  const Event& event = journal.at(error);
  EventId step = error;
  while (step > 0 &&
         !(journal.at(step).kind == EventKind::Step && journal.at(step).step == event.step)) {
    --step;
  }
  const QString message = textOf(journal.name(event));
  if (event.step < 0 || step == 0) {
    return message;
  }
  return tr("Step %1, %2: %3")
      .arg(QString::number(event.step + 1), textOf(journal.name(journal.at(step))), message);
}

}  // namespace

EventId firstError(const Journal& journal, EventId from) {
  for (EventId id = from; id <= journal.size(); ++id) {
    if (journal.at(id).kind == EventKind::Error) {
      return id;
    }
  }
  return 0;
}

std::optional<Failure> failureOf(const Journal& journal, const std::vector<int>& lost) {
  const EventId error = firstError(journal);
  if (error == 0 && lost.empty()) {
    return std::nullopt;
  }
  QStringList sentences;
  if (!lost.empty()) {
    sentences << lossText(journal, lost);
  }
  if (error != 0) {
    sentences << errorText(journal, error);
  }
  return Failure{sentences.join(u' '), error == 0 ? journal.size() : error};
}

}  // namespace shardlens
