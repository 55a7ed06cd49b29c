#include "ui/bridge/failure.h"

#include "core/query/problems/rank_ends.h"
#include "core/trace/merge/merged_parts.h"
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

// Returns the lost ranks that did not wait in a collective for another rank.
std::vector<int> lostFirst(const Journal& journal, const std::vector<int>& lost) {
  std::vector<int> first = lost;
  std::erase_if(first, [&](int rank) { return !endOf(journal, rank).missing.empty(); });
  return first;
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
  const EventId stop = firstStopOf(journal);
  const bool isStopError = stop != 0 && journal.at(stop).kind == EventKind::Error;
  const EventId error = isStopError ? stop : journal.firstError();
  const std::string_view message =
      error == 0 ? std::string_view() : journal.name(journal.at(error));
  const bool isKnown = stop != 0 && !isStopError && isOfLostPeer(message);
  const bool hasRaised = error != 0 && !isOfExit(message) && !isKnown;
  if (!hasRaised && lost.empty()) {
    return std::nullopt;
  }
  const bool isCause = hasRaised && (lost.empty() || !isOfLostPeer(message));
  const std::vector<int> first = lostFirst(journal, lost);
  QStringList sentences;
  if (isCause) {
    sentences << errorText(journal, error);
  }
  if (const auto& named = isCause || !first.empty() ? first : lost; !named.empty()) {
    sentences << lossText(journal, named, notation);
  }
  const EventId last = first.empty() ? 0 : lastEventOf(journal, first.front());
  return Failure{sentences.join(u' '), isCause ? error : last != 0 ? last : journal.size()};
}

std::vector<Problem> endingOf(const Journal& journal, const QString& description) {
  std::vector<Problem> ending;
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
