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
#include <optional>
#include <vector>

namespace shardlens {

// An open document: a recording, the recordings of a run's processes, dumps of other tools, or a
// scenario with the engine that runs it. Dumps are converted to temporary recordings. Each document
// has one journal. A recording that is still being written is followed, and its journal grows. If
// another process joins the run or resumes, the recordings are reopened in the background; after
// stateChanged(), journal() is another object. GUI thread only.
class Document final : public QObject {
  Q_OBJECT

 public:
  // Opens a file, a folder, or several files of one run; the first path decides what the document
  // is. Requires at least one path. Returns an error if a path is missing or unreadable. The
  // content is read in the background: stateChanged() reports that the document is open, failed()
  // that the file is invalid or that the engine refused it. `steps`: indexes of the steps of a
  // recording to read; empty: all; nullopt: all, but a run with more than RecordingOpener::most()
  // events waits for readSteps(). Returns an error if
  // some steps of a scenario or of dumps are requested.
  using Steps = std::optional<std::vector<RankRange>>;
  static Result<std::unique_ptr<Document>> open(const QStringList& paths,
                                                const Steps& steps = std::nullopt);
  // Returns true until the recording is read or the engine accepts the scenario.
  bool isOpening() const;
  bool isImporting() const { return import_ != nullptr; }
  // Returns true after openingSummarized() if the document waits for readSteps().
  bool awaitsSteps() const { return opener_ != nullptr && opener_->awaitsSteps(); }
  void readSteps(const std::vector<RankRange>& steps);  // requires awaitsSteps(); empty: all
  // Returns true if the document reads recordings, of which some steps can be opened.
  bool hasSteps() const { return engine_ == nullptr && imported_ == nullptr; }
  // Returns the index of the journal, or null for a scenario and while the recording is opening.
  // Windows that show the same complete recording share it.
  std::shared_ptr<StateIndex> states() const;

  // Empty until the document is open. grew() and stateChanged() may announce another journal; the
  // previous one is valid until the signal returns.
  const Journal& journal() const;
  QString path() const { return path_; }  // for several files their folder
  // Returns the recordings that are read, or their folder. For a scenario, the engine's recording.
  QStringList recordings() const;
  RecordingSource source() const { return {recordings(), steps_}; }
  // Returns the indexes of the opened steps; empty: all. Their events are numbered from 1.
  const std::vector<RankRange>& steps() const { return steps_; }
  // Returns the number of the last step of the run, from its events or, if some steps are opened,
  // from its totals; 0: none or unknown.
  std::int64_t stepsOfRun() const;
  QString title() const;  // the title of the scenario, or the file name if it has none
  QString fileName() const;
  // Returns "recording", "recording, live", "imported" (dumps), or for a scenario "live", "run,
  // finished" or "run, ended early".
  QString stateText() const;
  // Returns the first error or the first result that differs from the plain run, whichever is
  // earlier, or the last event if there is neither.
  EventId firstProblemOrEnd() const;
  // Returns the failure recorded so far, or nullopt.
  std::optional<Failure> failure(view::Notation notation) const;
  // Returns the ranks whose process died; empty for a scenario. Looks at each file once per poll.
  const std::vector<int>& lostRanks() const;
  // Returns true if save() is possible: a scenario whose engine has begun to record, or one
  // recording file.
  bool canSave() const;
  // Copies the events recorded so far to a file. Blocks until pending bookmarks are written. Does
  // nothing if `path` is the recording itself. Requires canSave().
  Result<void> save(const QString& path) const;
  bool mayGrow() const { return engine_ ? engine_->mayGrow() : isLive_; }
  EngineClient* engine() const { return engine_.get(); }  // null unless this is a scenario
  // Writes a bookmark into the recording in the background; grew() follows, or bookmarkRefused().
  // With recordings of several processes, a note goes to the first one that has the event, and a
  // removal to all of them. Does nothing if no open recording has the event.
  void keep(const BookmarkChange& change);
  // Requests events up to `position` from the engine. Does nothing for a recording.
  void runTo(EventId position);
  // Returns the folder of this recording if it contains recordings of other processes of the run
  // that are not open here, else an empty string.
  QString folderOfAll() const;
  // Returns the reasons why files of the open folder are not part of the document, one sentence
  // each.
  QStringList leftOut() const;
  // Returns the uncertainties and omissions of the import of dumps, one sentence each.
  QStringList importNotes() const { return importNotes_; }

 Q_SIGNALS:
  void grew();                          // events or bookmarks were added
  void stateChanged();                  // opened, paused, running or ended
  void openingProgressed(int percent);  // of a recording or of an import
  // The totals of a folder or a large recording, before the events are read.
  void openingSummarized(const shardlens::RunSummary& summary);
  void failed(const QString& message);  // cannot be opened or read any further, or ended early
  void silent();                        // see EngineClient::silent()
  void bookmarkRefused(const QString& message);

 private:
  Document(const QStringList& paths, const Steps& steps);
  void import();
  void openRecording();
  void startEngine();
  void follow();
  void updatePolling();
  void pollNow();
  void watchFiles();
  bool isPart() const;

  QString path_;
  QStringList recordings_;  // the opened paths; for dumps, the recordings made from them
  std::vector<RankRange> steps_;
  bool asks_;                    // a run with many events waits for readSteps()
  std::int64_t summarized_ = 0;  // last step by the totals of the run; 0: unknown
  QTimer follow_;                // active while the recording may grow, or another process may join
  bool isLive_ = false;
  int behind_ = 0;                       // polls since a process fell behind the others
  int patience_;                         // limit of behind_: then the process is treated as stopped
  bool isSettled_ = false;               // a process is treated as stopped
  std::shared_ptr<RunFolder> imported_;  // contains the recordings made from dumps; null: no dumps
  std::unique_ptr<BackgroundTask> import_;
  QStringList importNotes_;
  std::unique_ptr<RecordingOpener> opener_;
  SharedRecording recording_;
  mutable std::optional<std::vector<int>> lost_;  // nullopt: not looked up since the last poll
  std::unique_ptr<EngineClient> engine_;
  BookmarkKeeper bookmarks_;
  QFileSystemWatcher files_;  // the recordings, because other windows add bookmarks to them
  QTimer changed_;            // active from a change of a file until the poll for it
};

}  // namespace shardlens
