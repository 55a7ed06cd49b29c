#pragma once

#include "ui/bridge/document_host.h"

#include <QElapsedTimer>
#include <QObject>

namespace shardlens {

class MessageBar;
class ProblemWatch;

// Shows messages about the open document and the one that is opening in the message bar.
class DocumentMessages final : public QObject {
  Q_OBJECT

 public:
  // All three must outlive this object.
  DocumentMessages(MessageBar& bar, DocumentHost& host, const ProblemWatch& problems);

 Q_SIGNALS:
  // The user clicked the button of a message: open this folder, or go to this event.
  void pathRequested(const QString& path);
  void positionRequested(shardlens::EventId position);
  void stepsRequested();  // the user clicked the button of showSteps()

 private:
  void presented();
  void changed();
  void showProgress(int percent);
  void offerToStop(Document* document, const QString& subject);
  void watchFollowing(FollowClient* client);
  void showFailure();
  void showErrors();
  void showMissingProcesses();
  void showImportNotes();
  void showLimits();
  void showSteps();
  void showDamage();

  // Subjects of the message that an engine does not answer: of the open document, and of the one
  // that is opening.
  static inline const QString kSilent = QStringLiteral("silent");
  static inline const QString kSilentOpening = QStringLiteral("silent, opening");

  static inline const QString kOpening = QStringLiteral("opening");
  static constexpr qint64 kSoon = 300;  // ms; shorter openings show no progress

  MessageBar& bar_;
  DocumentHost& host_;
  const ProblemWatch& problems_;
  QElapsedTimer openingFor_;
  QString failure_;  // the last failure that was shown
  QString errors_;   // the sentence of the last error that was shown
  QString leftOut_;  // the last damage that was shown
};

}  // namespace shardlens
