#include "ui/shell/document_messages.h"

#include "core/trace/records/limits_record.h"
#include "ui/models/problem_watch.h"
#include "ui/pages/message_bar.h"
#include "ui/shell/document_title.h"
#include "ui/text/format.h"
#include "ui/widgets/window_notation.h"

#include <algorithm>
#include <utility>

namespace shardlens {

using Kind = MessageBar::Kind;

DocumentMessages::DocumentMessages(MessageBar& bar, DocumentHost& host,
                                   const ProblemWatch& problems)
    : bar_(bar), host_(host), problems_(problems) {
  connect(&host, &DocumentHost::refused, this, [this](const QString& message) {
    bar_.showMessage(QStringLiteral("open"), {Kind::Problem, message});
  });
  connect(&host, &DocumentHost::openingChanged, this, [this] {
    bar_.withdraw(kSilentOpening);
    bar_.withdraw(kOpening);
    openingFor_.start();
    if (host_.opening() != nullptr) {
      offerToStop(host_.opening(), kSilentOpening);
    }
  });
  connect(&host, &DocumentHost::openingProgressed, this, &DocumentMessages::showProgress);
  connect(&host, &DocumentHost::presented, this, &DocumentMessages::presented);
  connect(&host, &DocumentHost::changed, this, &DocumentMessages::changed);
  connect(&host, &DocumentHost::failed, this, [this](const QString& message) {
    bar_.showMessage(QStringLiteral("ended"), {Kind::Problem, message});
    changed();
  });
  connect(&host, &DocumentHost::closed, this, [this] {
    bar_.clear();
    failure_.clear();
    errors_.clear();
    leftOut_.clear();
  });
  connect(&problems, &ProblemWatch::changed, this, &DocumentMessages::showErrors);
}

void DocumentMessages::presented() {
  bar_.clear();
  offerToStop(host_.document(), kSilent);
  if (host_.following() != nullptr) {
    watchFollowing(host_.following());
  }
  showFailure();
  showMissingProcesses();
  showImportNotes();
  showLimits();
  showSteps();
  showDamage();
}

// Shows nothing for an opening that ends soon.
void DocumentMessages::showProgress(int percent) {
  if (openingFor_.elapsed() >= kSoon) {
    const Document& opening = *host_.opening();
    const QString doing = opening.isImporting() ? tr("Importing %1: %2 %") : tr("Opening %1: %2 %");
    bar_.showMessage(kOpening, {Kind::Note, doing.arg(opening.fileName()).arg(percent),
                                tr("Cancel"), [this] { host_.cancelOpening(); }});
  }
}

void DocumentMessages::changed() {
  bar_.withdraw(kSilent);
  showFailure();
  showDamage();
}

void DocumentMessages::offerToStop(Document* document, const QString& subject) {
  document->disconnect(this);  // drops the connection made while it was opening
  connect(document, &Document::silent, this, [this, document, subject] {
    bar_.showMessage(
        subject,
        {Kind::Note, tr("The engine of %1 has not answered for a while.").arg(document->fileName()),
         tr("Stop the engine"), [document] { document->engine()->stop(); }});
  });
}

void DocumentMessages::watchFollowing(FollowClient* client) {
  const QString connection = QStringLiteral("connection");
  connect(client, &FollowClient::lost, this, [this, connection] {
    bar_.showMessage(connection, {Kind::Note, tr("Connection lost. Reconnecting…")});
  });
  connect(client, &FollowClient::found, this, [this, connection] { bar_.withdraw(connection); });
  connect(client, &FollowClient::ended, this, [this, connection] {
    bar_.showMessage(connection, {Kind::Note, tr("The run has ended.")});
  });
}

// Shows a failure only when its text changes, because the user may close the message. For a
// followed run, an unclosed recording only means that the connection was lost, so lost ranks are
// ignored.
void DocumentMessages::showFailure() {
  const view::Notation notation = notationOf(bar_);
  const auto failure = host_.following() != nullptr
                           ? failureOf(host_.document()->journal(), {}, notation)
                           : host_.document()->failure(notation);
  if (!failure || failure->text == std::exchange(failure_, failure->text)) {
    return;
  }
  bar_.showMessage(QStringLiteral("failure"),
                   {Kind::Problem, failure->text, tr("Go to event"),
                    [this, at = failure->at] { Q_EMIT positionRequested(at); }});
}

// Shows the first error once. If the run has failed, that message is enough, unless the failure
// follows from a rank that others wait for: a launcher kills the ranks of a job that hangs.
void DocumentMessages::showErrors() {
  const auto& problems = *problems_.problems();
  const auto first = std::find_if(problems.begin(), problems.end(), [](const Problem& problem) {
    return problem.severity == Problem::Severity::Error && !problem.events.empty();
  });
  const bool isHang =
      first != problems.end() && (first->rule == "rank-that-waits" || first->rule == "rank-ended" ||
                                  first->rule == "collective-mismatch");
  const bool hasFailure = (!failure_.isEmpty() && !isHang) || host_.document() == nullptr;
  const QString subject = QStringLiteral("errors");
  if (hasFailure || first == problems.end()) {
    errors_.clear();
    return bar_.withdraw(subject);
  }
  const QString sentence = toQString(first->sentence);
  if (sentence != std::exchange(errors_, sentence)) {
    bar_.showMessage(
        subject, {Kind::Problem, tr("%1: %2").arg(problems_.summary(), sentence), tr("Go to event"),
                  [this, at = first->events.front()] { Q_EMIT positionRequested(at); }});
  }
}

void DocumentMessages::showMissingProcesses() {
  if (const QString folder = host_.document()->folderOfAll(); !folder.isEmpty()) {
    bar_.showMessage(
        QStringLiteral("parts"),
        {Kind::Note,
         tr("This recording is of one process. Ranks of other processes have no values."),
         tr("Open all processes"), [this, folder] { Q_EMIT pathRequested(folder); }});
  }
}

void DocumentMessages::showImportNotes() {
  constexpr qsizetype kMost = 3;
  const QStringList all = host_.document()->importNotes();
  QString notes = all.mid(0, kMost).join(QStringLiteral("; "));
  if (all.size() > kMost) {
    notes += tr("; and %1 more").arg(all.size() - kMost);
  }
  if (!all.isEmpty()) {
    bar_.showMessage(QStringLiteral("import"), {Kind::Note, tr("Imported. Notes: %1").arg(notes)});
  }
}

// Shows what the recorder of a job could not observe, as it is known when the recording opens.
void DocumentMessages::showLimits() {
  QStringList limits;
  const bool isPart = !host_.document()->steps().empty();
  for (const auto& each : readLimits(host_.document()->journal().meta(kLimitsKey))) {
    limits.append(toQString(each));
  }
  if (isPart && !limits.isEmpty()) {
    limits.removeFirst();  // says which steps were opened; see showSteps()
  }
  if (!limits.isEmpty()) {
    bar_.showMessage(QStringLiteral("limits"),
                     {Kind::Note, tr("Not recorded: %1").arg(limits.join(QStringLiteral("; ")))});
  }
}

void DocumentMessages::showSteps() {
  const QString loaded = loadedSteps(*host_.document());
  if (!loaded.isEmpty()) {
    bar_.showMessage(
        QStringLiteral("steps"),
        {Kind::Note,
         tr("Only %1. Events are numbered from 1, and what earlier steps made is unknown.")
             .arg(loaded),
         tr("Open other steps…"), [this] { Q_EMIT stepsRequested(); }});
  }
}

// Updates the message when the damage changes: a file that was being copied may be complete now.
void DocumentMessages::showDamage() {
  const QString subject = QStringLiteral("left out");
  const QString leftOut = host_.document()->leftOut().join(QStringLiteral("; "));
  if (leftOut == std::exchange(leftOut_, leftOut)) {
    return;
  }
  if (leftOut.isEmpty()) {
    bar_.withdraw(subject);
  } else {
    bar_.showMessage(subject, {Kind::Problem, tr("Opened without damaged parts: %1").arg(leftOut)});
  }
}

}  // namespace shardlens
