#pragma once

#include "ui/bridge/engine_client.h"

#include <QObject>
#include <QString>
#include <memory>

namespace shardlens {

// What the window has open: a recording, or a scenario with the engine that runs it. Either way
// there is one journal, which may still grow.
class Document final : public QObject {
  Q_OBJECT

 public:
  // Refuses what is no file, no recording and no scenario. A scenario is refused only later, by
  // its engine (failed).
  static Result<std::unique_ptr<Document>> open(const QString& path);

  const Journal& journal() const;
  QString path() const { return path_; }
  QString title() const;  // of the scenario, else the file's name
  bool mayGrow() const { return engine_ && engine_->mayGrow(); }
  EngineClient* engine() const { return engine_.get(); }  // null for a recording
  void runTo(EventId position);

 Q_SIGNALS:
  void grew();
  void stateChanged();
  void failed(const QString& message);
  void silent();

 private:
  explicit Document(QString path) : path_(std::move(path)) {}

  QString path_;
  std::unique_ptr<TraceReader> reader_;
  std::unique_ptr<EngineClient> engine_;
};

// A journal without events, for when nothing is open.
const Journal& emptyJournal();

}  // namespace shardlens
