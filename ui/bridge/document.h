#pragma once

#include "ui/bridge/bookmark_keeper.h"
#include "ui/bridge/engine_client.h"
#include "ui/bridge/failure.h"
#include "ui/bridge/recording_opener.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>

namespace shardlens {

// What the window has open: a recording, those of a run's processes as one, other tools' dumps, of
// which recordings are made for as long as they are open, or a scenario with the engine that runs
// it. Either way there is one journal, which may still grow: recordings that
// somebody writes are followed. Where a process joins them the folder is opened anew, and stays as
// it is until then: after stateChanged() there is another journal.
class Document final : public QObject {
  Q_OBJECT

 public:
  // A file, a folder, or several files of one run. Refuses what cannot be read; whether it is a
  // recording, a dump, or a scenario that its engine accepts, is known later (stateChanged, or
  // failed).
  static Result<std::unique_ptr<Document>> open(const QStringList& paths);
  bool isOpening() const;
  bool isImporting() const { return import_ != nullptr; }
  // That of the journal, made while it was opened; null where it was not. Of a recording that is
  // over, windows share it.
  std::shared_ptr<StateIndex> states() const;

  const Journal& journal() const;
  QString path() const { return path_; }  // of several files the folder
  // The files that are read for it, or their folder.
  QStringList recordings() const;
  QString title() const;  // of the scenario, else the file's name
  QString fileName() const;
  QString stateText() const;  // "recording", "live", ...
  // Where to begin reading: its first error, or result that differs from the plain one, else its
  // end.
  EventId firstProblemOrEnd() const;
  // What went wrong, as far as it goes.
  std::optional<Failure> failure() const;
  std::vector<int> lostRanks() const;  // whose process died
  // Keeps what is recorded so far in a file of its own; not for several.
  bool canSave() const;
  Result<void> save(const QString& path) const;
  bool mayGrow() const { return engine_ ? engine_->mayGrow() : isLive_; }
  EngineClient* engine() const { return engine_.get(); }  // null for a recording
  // Keeps it in the recording, from where it comes with grew(); of several processes in the first
  // one's that had the event.
  void keep(const BookmarkChange& change);
  // Asks the engine for these events; a recording goes on by itself.
  void runTo(EventId position);
  // The folder where the other processes of the run have theirs, if this is one process's recording
  // alone; else empty.
  QString folderOfAll() const;
  // Why files of the folder that is open are not part of it: a sentence each.
  QStringList leftOut() const;
  // What is not sure of a dump, or was left out of it: a sentence each.
  QStringList importNotes() const { return importNotes_; }

 Q_SIGNALS:
  void grew();
  void stateChanged();
  void openingProgressed(int percent);  // of a recording
  void failed(const QString& message);
  void silent();
  void bookmarkRefused(const QString& message);

 private:
  explicit Document(const QStringList& paths);
  void import();
  void openRecording();
  void startEngine();
  void follow();
  void lookOn();
  void lookNow();
  void watchFiles();
  bool isPart() const;

  QString path_;
  QStringList recordings_;  // what is to be read; of a scenario nothing
  QTimer follow_;           // while somebody may write to the recording, or another may join it
  bool isLive_ = false;
  int behind_ = 0;                       // looks since a process is behind the others
  int patience_;                         // so many until it is shown as if it stayed so
  bool isSettled_ = false;               // it is
  std::shared_ptr<RunFolder> imported_;  // the recordings that were made of dumps
  std::unique_ptr<BackgroundTask> import_;
  QStringList importNotes_;
  std::unique_ptr<RecordingOpener> opener_;
  SharedRecording recording_;
  std::unique_ptr<EngineClient> engine_;
  BookmarkKeeper bookmarks_;
  QFileSystemWatcher files_;  // of recordings: bookmarks come from other windows too
};

}  // namespace shardlens
