#include "ui/bridge/document.h"

#include "core/imports/dump_format.h"
#include "core/imports/import_dumps.h"
#include "core/model/step_number.h"
#include "core/query/problems/rank_ends.h"
#include "core/trace/file/trace_create.h"
#include "core/trace/journal/tensor_ranks.h"
#include "ui/text/empty_journal.h"
#include "ui/text/format.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

constexpr int kFollow = 120;  // ms between polls of a growing recording
constexpr int kAwait = 2000;  // ms between polls of a folder where recordings are missing
// Polls of a lagging process before the document settles without it: initially, and at most.
constexpr int kQuiet = 8;
constexpr int kMostQuiet = 512;

bool isRecording(QFile& file) {
  return file.fileName().endsWith(QStringLiteral(".shardlens")) ||
         file.peek(15) == QByteArray("SQLite format 3");
}

enum class DocumentKind { Recordings, Dumps, Scenario };

DocumentKind kindOf(const QString& path, QFile& file) {
  if (QFileInfo(path).isDir()) {
    const auto held = QDir(path).entryList(QDir::Files);
    const bool hasOtherFiles =
        !held.isEmpty() && held.filter(QStringLiteral(".shardlens")).isEmpty();
    return hasOtherFiles ? DocumentKind::Dumps : DocumentKind::Recordings;
  }
  return isRecording(file)            ? DocumentKind::Recordings
         : isDump(path.toStdString()) ? DocumentKind::Dumps
                                      : DocumentKind::Scenario;
}

}  // namespace

Result<std::unique_ptr<Document>> Document::open(const QStringList& paths, const Steps& steps) {
  std::optional<DocumentKind> kind;
  for (const QString& path : paths) {
    QFile file(path);
    if (!QFileInfo::exists(path)) {
      return fail(tr("%1: file not found").arg(path).toStdString());
    }
    if (!QFileInfo(path).isDir() && !file.open(QIODevice::ReadOnly)) {
      return fail(tr("%1: cannot be read").arg(path).toStdString());
    }
    if (!kind) {
      kind = kindOf(path, file);
    }
  }
  const bool isPart = steps && !steps->empty();
  if (isPart && kind != DocumentKind::Recordings) {
    return fail(
        tr("%1: expected a recording to open some of its steps").arg(paths.front()).toStdString());
  }
  std::unique_ptr<Document> document(new Document(paths, steps));
  if (kind == DocumentKind::Scenario) {
    document->startEngine();
  } else if (kind == DocumentKind::Dumps) {
    document->import();
  } else {
    document->openRecording();
  }
  return document;
}

// The document and the task share the folder of recordings, which the last owner removes.
void Document::import() {
  imported_ = std::make_shared<RunFolder>();
  const auto report = std::make_shared<ImportReport>();
  std::vector<std::filesystem::path> dumps;
  for (const QString& path : recordings_) dumps.emplace_back(path.toStdString());
  import_ = std::make_unique<BackgroundTask>(
      path_.toStdString(), [report, dumps, folder = imported_](const Progress& progress) {
        return importDumps(dumps, folder->path().toStdString(), progress)
            .map([&](const ImportReport& made) { *report = made; });
      });
  connect(import_.get(), &BackgroundTask::progressed, this, &Document::openingProgressed);
  connect(import_.get(), &BackgroundTask::failed, this, [this](const QString& message) {
    import_.release()->deleteLater();  // the sender of this signal
    Q_EMIT failed(message);
  });
  connect(import_.get(), &BackgroundTask::finished, this, [this, report] {
    import_.release()->deleteLater();
    for (const auto& note : report->notes) importNotes_ << QString::fromStdString(note);
    const bool isOne = report->dumps.size() == 1;
    recordings_ = {isOne ? QString::fromStdString(report->dumps.front().into.string())
                         : imported_->path()};
    openRecording();
  });
}

void Document::openRecording() {
  using Totals = RecordingOpener::Totals;
  const bool asks = std::exchange(asks_, false) && !imported_;
  opener_ = std::make_unique<RecordingOpener>(source(), asks ? Totals::Ask : Totals::First);
  connect(opener_.get(), &RecordingOpener::progressed, this, &Document::openingProgressed);
  connect(opener_.get(), &RecordingOpener::summarized, this, [this](const RunSummary& summary) {
    summarized_ = summary.lastStep();
    Q_EMIT openingSummarized(summary);
  });
  connect(opener_.get(), &RecordingOpener::failed, this, [this](const QString& message) {
    opener_.release()->deleteLater();  // the sender of this signal
    isLive_ = false;
    Q_EMIT failed(message);
  });
  connect(opener_.get(), &RecordingOpener::opened, this, [this](const SharedRecording& recording) {
    opener_.release()->deleteLater();
    // Clients use the previous journal until stateChanged() is emitted.
    const auto before = std::exchange(recording_, recording);
    lost_.reset();
    behind_ = 0;
    watchFiles();
    updatePolling();
    Q_EMIT stateChanged();
  });
}

void Document::readSteps(const std::vector<RankRange>& steps) {
  steps_ = steps;
  opener_->readSteps(steps);
}

std::int64_t Document::stepsOfRun() const {
  return steps_.empty() ? stepNumber(journal().totals().greatestStep()) : summarized_;
}

void Document::startEngine() {
  engine_ = std::make_unique<EngineClient>();
  connect(engine_.get(), &EngineClient::grew, this, &Document::grew);
  connect(engine_.get(), &EngineClient::stateChanged, this, &Document::stateChanged);
  connect(engine_.get(), &EngineClient::failed, this, &Document::failed);
  connect(engine_.get(), &EngineClient::silent, this, &Document::silent);
  engine_->start(path_);
}

bool Document::isOpening() const {
  return engine_ ? engine_->state() == EngineClient::State::Starting : recording_ == nullptr;
}

Document::Document(const QStringList& paths, const Steps& steps)
    : steps_(steps.value_or(std::vector<RankRange>())),
      asks_(!steps),
      follow_(this),
      patience_(kQuiet) {
  for (const QString& path : paths) recordings_ << QFileInfo(path).absoluteFilePath();
  path_ = paths.size() == 1 ? recordings_.front() : QFileInfo(recordings_.front()).absolutePath();
  connect(&follow_, &QTimer::timeout, this, &Document::follow);
  connect(&bookmarks_, &BookmarkKeeper::kept, this, &Document::pollNow);
  connect(&bookmarks_, &BookmarkKeeper::refused, this, &Document::bookmarkRefused);
  // The ranks of a job change their files one after the other. Poll once for all of them, because a
  // poll of many ranks takes long.
  changed_.setSingleShot(true);
  changed_.setInterval(kFollow);
  connect(&files_, &QFileSystemWatcher::fileChanged, this, [this] {
    if (!changed_.isActive()) changed_.start();
  });
  // Emit grew() in any case: another window may have read the new events into a shared journal.
  connect(&changed_, &QTimer::timeout, this, [this] {
    pollNow();
    Q_EMIT grew();
  });
}

// Reads a slice. Emits stateChanged() only when everything written is read. If a process resumes
// after settle(), the recordings are reopened, and the next settle() waits twice as long.
void Document::follow() {
  lost_.reset();
  const auto more = recording_->reader->refresh();
  if (!more) {
    follow_.stop();
    isLive_ = false;
    Q_EMIT failed(QString::fromStdString(more.error().message));
    return;
  }
  if (recording_->reader->isOutdated()) {
    follow_.stop();
    patience_ = std::exchange(isSettled_, false) ? std::min(2 * patience_, kMostQuiet) : patience_;
    return openRecording();
  }
  if (recording_->reader->isLoading()) return follow_.start(0);
  behind_ = *more || !recording_->reader->awaits() ? 0 : behind_ + 1;
  const bool settles = (isSettled_ || behind_ >= patience_) && recording_->reader->settle();
  isSettled_ |= settles;
  if (*more || settles) {
    follow_.start(0);  // there may be more
    return Q_EMIT grew();
  }
  const bool wasLive = isLive_;
  updatePolling();
  if (wasLive != isLive_) {
    Q_EMIT stateChanged();
  }
}

void Document::keep(const BookmarkChange& change) {
  const TraceReader* reader = engine_      ? engine_->reader()
                              : recording_ ? recording_->reader.get()
                                           : nullptr;
  auto files = reader == nullptr ? std::vector<RecordedAt>() : reader->recordedAt(change.event);
  if (change.note && files.size() > 1) {
    files.resize(1);
  }
  BookmarkKeeper::Changes changes;
  for (const auto& [path, event] : files) {
    changes.push_back({path, {event, change.note}});
  }
  bookmarks_.keep(std::move(changes));
}

void Document::pollNow() {
  if (engine_) {
    engine_->pollNow();
  } else if (recording_ && !opener_) {
    follow();
  }
}

void Document::watchFiles() {
  QStringList files = recordings_;
  if (const QDir folder(recordings_.front()); recordings_.size() == 1 && folder.exists()) {
    files.clear();
    for (const QString& name : folder.entryList({QStringLiteral("*.shardlens")}, QDir::Files)) {
      files << folder.filePath(name);
    }
  }
  files_.addPaths(files);
}

void Document::updatePolling() {
  isLive_ = recording_->reader->mayGrow();
  const int pause = isLive_ ? kFollow : kAwait;
  const bool othersMayJoin =
      !imported_ && recordings_ == QStringList(path_) && QFileInfo(path_).isDir() && isPart();
  if (!isLive_ && !othersMayJoin) {
    follow_.stop();
  } else if (!follow_.isActive() || follow_.interval() != pause) {
    follow_.start(pause);
  }
}

bool Document::isPart() const {
  const auto mesh = recordedMesh(journal());
  return mesh && rankCount(hostedRanges(journal())) < mesh->size();
}

QString Document::folderOfAll() const {
  const QFileInfo file(path_);
  if (engine_ || imported_ || file.isDir() || !isPart()) {
    return {};
  }
  const auto all = file.dir().entryList({QStringLiteral("*.shardlens")}, QDir::Files);
  return all.size() > 1 ? file.absolutePath() : QString();
}

QStringList Document::leftOut() const {
  QStringList reasons;
  if (recording_) {
    for (const auto& reason : recording_->reader->leftOut())
      reasons << QString::fromStdString(reason);
  }
  return reasons;
}

std::shared_ptr<StateIndex> Document::states() const {
  return recording_ ? std::shared_ptr<StateIndex>(recording_, recording_->states.get()) : nullptr;
}

const Journal& Document::journal() const {
  if (recording_) {
    return recording_->reader->journal();
  }
  return engine_ && engine_->journal() != nullptr ? *engine_->journal() : emptyJournal();
}

QString Document::title() const {
  const auto title = journal().meta("title");
  return title.empty() ? fileName() : toQString(title);
}

QString Document::fileName() const { return QFileInfo(path_).fileName(); }

QString Document::stateText() const {
  if (imported_) {
    return tr("imported");
  }
  if (!engine_) {
    return isLive_ ? tr("recording, live") : tr("recording");
  }
  switch (engine_->state()) {
    case EngineClient::State::Finished:
      return tr("run, finished");
    case EngineClient::State::Gone:
      return tr("run, ended early");
    default:
      return tr("live");
  }
}

EventId Document::firstProblemOrEnd() const {
  EventId first = journal().size();
  const EventId stop = firstStopOf(journal());
  for (const EventId problem :
       {stop != 0 ? stop : journal().firstError(), journal().firstDifference()}) {
    first = problem == 0 ? first : std::min(first, problem);
  }
  return first;
}

std::optional<Failure> Document::failure(view::Notation notation) const {
  return failureOf(journal(), lostRanks(), notation);
}

const std::vector<int>& Document::lostRanks() const {
  if (!lost_) {
    lost_ = recording_ ? recording_->reader->lostRanks() : std::vector<int>();
  }
  return *lost_;
}

QStringList Document::recordings() const {
  return engine_ ? QStringList(engine_->recording()) : recordings_;
}

bool Document::canSave() const {
  return engine_ ? engine_->journal() != nullptr
                 : recordings_.size() == 1 && !QFileInfo(recordings_.front()).isDir();
}

Result<void> Document::save(const QString& path) const {
  const QString source = recordings().front();
  BookmarkKeeper::waitForAll();
  if (QFileInfo(source) == QFileInfo(path)) {
    return {};
  }
  return copyRecording(source.toStdString(), path.toStdString());
}

void Document::runTo(EventId position) {
  if (engine_) {
    engine_->runTo(position);
  }
}

}  // namespace shardlens
