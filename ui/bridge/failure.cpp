#include "ui/bridge/failure.h"

#include "ui/text/format.h"

#include <QCoreApplication>

namespace shardlens {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Failure", text); }

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
  const QString message = toQString(journal.name(event));
  if (event.step < 0 || step == 0) {
    return message;
  }
  return tr("Step %1, %2: %3")
      .arg(QString::number(qint64{event.step} + 1), toQString(journal.name(journal.at(step))),
           message);
}

}  // namespace

std::optional<Failure> failureOf(const Journal& journal, const std::vector<int>& lost) {
  const EventId error = journal.firstError();
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

std::vector<Problem> endingOf(const Journal& journal, const std::vector<int>& lost,
                              const QString& said) {
  std::vector<Problem> ending;
  const auto add = [&](const char* rule, const QString& sentence, const QString& advice) {
    if (sentence.isEmpty()) {
      return;
    }
    Problem& problem = ending.emplace_back();
    problem.rule = rule;
    problem.severity = Problem::Severity::Error;
    problem.sentence = sentence.toStdString();
    problem.advice = advice.toStdString();
    problem.times = 1;
    if (journal.size() > 0) {
      problem.events = {journal.size()};
    }
  };
  add("process-died", lossText(journal, lost),
      tr("look at what it did last, and at what the program said"));
  add("run-ended", said, tr("look at the last event: what came before it is whole"));
  return ending;
}

}  // namespace shardlens
