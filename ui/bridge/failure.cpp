#include "ui/bridge/failure.h"

#include "ui/text/format.h"

#include <QCoreApplication>

namespace shardlens {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("Failure", text); }

// Returns a sentence per lost rank: "Rank 3 died ... ."
QString lossText(const Journal& journal, const std::vector<int>& lost, view::Notation notation) {
  QStringList sentences;
  for (const Problem& died : diedProcesses(journal, lost, notation)) {
    QString sentence = toQString(died.sentence);
    sentence[0] = sentence[0].toUpper();
    sentences << sentence + u'.';
  }
  return sentences.join(u' ');
}

// Returns "Step 3, y = aten.embedding(w, x): <message>", or "Step 3: <message>" if the step has no
// other name than its number.
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
  const QString number = QString::number(qint64{event.step} + 1);
  const QString name = toQString(journal.name(journal.at(step)));
  return name == QStringLiteral("step %1").arg(number)
             ? tr("Step %1: %2").arg(number, message)
             : tr("Step %1, %2: %3").arg(number, name, message);
}

}  // namespace

std::optional<Failure> failureOf(const Journal& journal, const std::vector<int>& lost,
                                 view::Notation notation) {
  const EventId error = journal.firstError();
  if (error == 0 && lost.empty()) {
    return std::nullopt;
  }
  QStringList sentences;
  if (!lost.empty()) {
    sentences << lossText(journal, lost, notation);
  }
  if (error != 0) {
    sentences << errorText(journal, error);
  }
  return Failure{sentences.join(u' '), error == 0 ? journal.size() : error};
}

std::vector<Problem> endingOf(const Journal& journal, const std::vector<int>& lost,
                              const QString& description, view::Notation notation) {
  std::vector<Problem> ending = diedProcesses(journal, lost, notation);
  if (!description.isEmpty()) {
    Problem& problem = ending.emplace_back();
    problem.rule = "run-ended";
    problem.severity = Problem::Severity::Error;
    problem.sentence = description.toStdString();
    problem.advice = tr("check the last event; all events before it are complete").toStdString();
    problem.times = 1;
    if (journal.size() > 0) {
      problem.events = {journal.size()};
    }
  }
  return ending;
}

}  // namespace shardlens
