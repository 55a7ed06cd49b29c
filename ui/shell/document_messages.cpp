#include "ui/shell/document_messages.h"

#include "ui/models/problem_watch.h"
#include "ui/pages/message_bar.h"
#include "ui/text/format.h"

#include <algorithm>
#include <utility>

namespace shardlens {

using Kind = MessageBar::Kind;

DocumentMessages::DocumentMessages(MessageBar& bar, DocumentHost& host,
                                   const ProblemWatch& problems)
    : bar_(bar), host_(host), problems_(problems) {
  connect(&host, &DocumentHost::refused, this, [this](const QString& message) {
    bar_.say(QStringLiteral("open"), {Kind::Problem, message});
  });
  connect(&host, &DocumentHost::openingChanged, this, [this] {
    bar_.withdraw(kSilentOpening);
    bar_.withdraw(kOpening);
    openingFor_.start();
    if (host_.opening() != nullptr) {
      offerToStop(host_.opening(), kSilentOpening);
    }
  });
  connect(&host, &DocumentHost::openingProgressed, this, &DocumentMessages::sayProgress);
  connect(&host, &DocumentHost::presented, this, &DocumentMessages::presented);
  connect(&host, &DocumentHost::changed, this, &DocumentMessages::changed);
  connect(&host, &DocumentHost::failed, this, [this](const QString& message) {
    bar_.say(QStringLiteral("ended"), {Kind::Problem, message});
    changed();
  });
  connect(&host, &DocumentHost::closed, this, [this] {
    bar_.clear();
    failure_.clear();
    errors_.clear();
    leftOut_.clear();
  });
  connect(&problems, &ProblemWatch::changed, this, &DocumentMessages::sayOfErrors);
}

void DocumentMessages::presented() {
  bar_.clear();
  offerToStop(host_.document(), kSilent);
  if (host_.following() != nullptr) {
    sayOfFollowing(host_.following());
  }
  sayOfFailure();
  sayOfParts();
  sayOfImport();
  sayWhatIsLeftOut();
}

// Shows nothing for an opening that ends soon.
void DocumentMessages::sayProgress(int percent) {
  if (openingFor_.elapsed() >= kSoon) {
    const Document& opening = *host_.opening();
    const QString doing = opening.isImporting() ? tr("Importing %1: %2 %") : tr("Opening %1: %2 %");
    bar_.say(kOpening, {Kind::Note, doing.arg(opening.fileName()).arg(percent), tr("Cancel"),
                        [this] { host_.giveUpOpening(); }});
  }
}

void DocumentMessages::changed() {
  bar_.withdraw(kSilent);
  sayOfFailure();
  sayWhatIsLeftOut();
}

void DocumentMessages::offerToStop(Document* document, const QString& subject) {
  document->disconnect(this);  // drops the connection made while it was opening
  connect(document, &Document::silent, this, [this, document, subject] {
    bar_.say(
        subject,
        {Kind::Note, tr("The engine of %1 has not answered for a while.").arg(document->fileName()),
         tr("Stop the engine"), [document] { document->engine()->stop(); }});
  });
}

void DocumentMessages::sayOfFollowing(FollowClient* client) {
  const QString connection = QStringLiteral("connection");
  connect(client, &FollowClient::lost, this, [this, connection] {
    bar_.say(connection, {Kind::Note, tr("The connection is gone. Trying again…")});
  });
  connect(client, &FollowClient::found, this, [this, connection] { bar_.withdraw(connection); });
  connect(client, &FollowClient::ended, this, [this, connection] {
    bar_.say(connection, {Kind::Note, tr("The run has ended.")});
  });
}

// Shows a failure only when its text changes, because the user may close the message. For a
// followed run, an unclosed recording only means that the connection was lost, so lost ranks are
// ignored.
void DocumentMessages::sayOfFailure() {
  const auto failure = host_.following() != nullptr ? failureOf(host_.document()->journal(), {})
                                                    : host_.document()->failure();
  if (!failure || failure->text == std::exchange(failure_, failure->text)) {
    return;
  }
  bar_.say(QStringLiteral("failure"), {Kind::Problem, failure->text, tr("Go to it"),
                                       [this, at = failure->at] { Q_EMIT positionRequested(at); }});
}

// Shows the first error once. Shows none if the run has failed, because that message is enough.
void DocumentMessages::sayOfErrors() {
  const auto& problems = *problems_.problems();
  const auto first = std::find_if(problems.begin(), problems.end(), [](const Problem& problem) {
    return problem.severity == Problem::Severity::Error && !problem.events.empty();
  });
  const bool isSaid = !failure_.isEmpty() || host_.document() == nullptr;
  const QString subject = QStringLiteral("errors");
  if (isSaid || first == problems.end()) {
    errors_.clear();
    return bar_.withdraw(subject);
  }
  const QString sentence = toQString(first->sentence);
  if (sentence != std::exchange(errors_, sentence)) {
    bar_.say(subject,
             {Kind::Problem, tr("%1: %2").arg(problems_.summary(), sentence), tr("Go to it"),
              [this, at = first->events.front()] { Q_EMIT positionRequested(at); }});
  }
}

void DocumentMessages::sayOfParts() {
  if (const QString folder = host_.document()->folderOfAll(); !folder.isEmpty()) {
    bar_.say(
        QStringLiteral("parts"),
        {Kind::Note,
         tr("This is the recording of one process: the ranks of the others have no values here."),
         tr("Open all processes"), [this, folder] { Q_EMIT pathRequested(folder); }});
  }
}

void DocumentMessages::sayOfImport() {
  constexpr qsizetype kMost = 3;
  const QStringList all = host_.document()->importNotes();
  QString notes = all.mid(0, kMost).join(QStringLiteral("; "));
  if (all.size() > kMost) {
    notes += tr("; and %1 more").arg(all.size() - kMost);
  }
  if (!all.isEmpty()) {
    bar_.say(QStringLiteral("import"),
             {Kind::Note, tr("Imported, with this to know: %1").arg(notes)});
  }
}

// Updates the message when the damage changes: a file that was being copied may be complete now.
void DocumentMessages::sayWhatIsLeftOut() {
  const QString subject = QStringLiteral("left out");
  const QString leftOut = host_.document()->leftOut().join(QStringLiteral("; "));
  if (leftOut == std::exchange(leftOut_, leftOut)) {
    return;
  }
  if (leftOut.isEmpty()) {
    bar_.withdraw(subject);
  } else {
    bar_.say(subject, {Kind::Problem, tr("Opened without what is damaged: %1").arg(leftOut)});
  }
}

}  // namespace shardlens
