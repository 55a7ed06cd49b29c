#pragma once

#include "ui/bridge/document_host.h"

#include <QElapsedTimer>
#include <QObject>

namespace shardlens {

class MessageBar;
class ProblemWatch;

// What the message bar says of what is open and of what is opening.
class DocumentMessages final : public QObject {
  Q_OBJECT

 public:
  // All outlive it.
  DocumentMessages(MessageBar& bar, DocumentHost& host, const ProblemWatch& problems);

 Q_SIGNALS:
  void pathWanted(const QString& path);
  void positionWanted(shardlens::EventId position);

 private:
  void presented();
  void changed();
  void sayProgress(int percent);
  void offerToStop(Document* document, const QString& subject);
  void sayOfFollowing(FollowClient* client);
  void sayOfFailure();
  void sayOfErrors();
  void sayOfParts();
  void sayOfImport();
  void sayWhatIsLeftOut();

  // The subjects of an engine that does not answer: that of the document, and of the one opening.
  static inline const QString kSilent = QStringLiteral("silent");
  static inline const QString kSilentOpening = QStringLiteral("silent, opening");

  static inline const QString kOpening = QStringLiteral("opening");
  static constexpr qint64 kSoon = 300;  // ms

  MessageBar& bar_;
  DocumentHost& host_;
  const ProblemWatch& problems_;
  QElapsedTimer openingFor_;
  QString failure_;  // as it was said last
  QString errors_;   // likewise, the sentence of the first
  QString leftOut_;  // likewise
};

}  // namespace shardlens
