#include "ui/bridge/document.h"

#include "core/trace/file/trace_create.h"
#include "core/trace/journal/tensor_ranks.h"
#include "ui/text/format.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>
#include <utility>

namespace shardlens {
namespace {

constexpr int kFollow = 120;  // ms between two looks into a recording that grows
constexpr int kAwait = 2000;  // and into a folder where some processes have not come yet
// Looks at a process that is behind, until it may stay so: at first, and at most.
constexpr int kQuiet = 8;
constexpr int kMostQuiet = 512;

bool isRecording(QFile& file) {
  return QFileInfo(file).isDir() || file.fileName().endsWith(QStringLiteral(".shardlens")) ||
         file.peek(15) == QByteArray("SQLite format 3");
}

}  // namespace

const Journal& emptyJournal() {
  static const Journal journal;
  return journal;
}

Result<std::unique_ptr<Document>> Document::open(const QString& path) {
  QFile file(path);
  const QString shown = QFileInfo(path).fileName();
  if (!QFileInfo::exists(path)) {
    return fail(tr("%1: there is no such file").arg(path).toStdString());
  }
  if (!QFileInfo(path).isDir() && !file.open(QIODevice::ReadOnly)) {
    return fail(tr("%1: cannot be read").arg(path).toStdString());
  }
  std::unique_ptr<Document> document(new Document(QFileInfo(path).absoluteFilePath()));
  if (isRecording(file)) {
    document->openRecording();
  } else {
    document->startEngine();
  }
  return document;
}

void Document::openRecording() {
  opener_ = std::make_unique<RecordingOpener>(path_);
  connect(opener_.get(), &RecordingOpener::progressed, this, &Document::openingProgressed);
  connect(opener_.get(), &RecordingOpener::failed, this, [this](const QString& message) {
    opener_.release()->deleteLater();  // it is the one who calls
    isLive_ = false;
    Q_EMIT failed(message);
  });
  connect(opener_.get(), &RecordingOpener::opened, this, [this](OpenedRecording& recording) {
    opener_.release()->deleteLater();
    // Another journal is looked at until it has been said that there is this one.
    const auto before = std::exchange(reader_, std::move(recording.reader));
    states_ = std::move(recording.states);
    behind_ = 0;
    lookOn();
    Q_EMIT stateChanged();
  });
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
  return engine_ ? engine_->state() == EngineClient::State::Starting : reader_ == nullptr;
}

Document::Document(QString path) : path_(std::move(path)), follow_(this), patience_(kQuiet) {
  connect(&follow_, &QTimer::timeout, this, &Document::follow);
}

// Takes in a slice. What the run has become is said when there is no more of it to read. A process
// that went on after all is waited for twice as long the next time: all is read anew for it.
void Document::follow() {
  const auto more = reader_->refresh();
  if (!more) {
    follow_.stop();
    isLive_ = false;
    Q_EMIT failed(QString::fromStdString(more.error().message));
    return;
  }
  if (reader_->isOutdated()) {
    follow_.stop();
    patience_ = std::exchange(isSettled_, false) ? std::min(2 * patience_, kMostQuiet) : patience_;
    return openRecording();
  }
  behind_ = *more || !reader_->awaits() ? 0 : behind_ + 1;
  const bool settles = (isSettled_ || behind_ >= patience_) && reader_->settle();
  isSettled_ |= settles;
  if (*more || settles) {
    follow_.start(0);  // there may be more
    return Q_EMIT grew();
  }
  const bool wasLive = isLive_;
  lookOn();
  if (wasLive != isLive_) {
    Q_EMIT stateChanged();
  }
}

void Document::lookOn() {
  isLive_ = reader_->mayGrow();
  const int pause = isLive_ ? kFollow : kAwait;
  if (!isLive_ && !(QFileInfo(path_).isDir() && isPart())) {
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
  if (engine_ || file.isDir() || !isPart()) {
    return {};
  }
  const auto all = file.dir().entryList({QStringLiteral("*.shardlens")}, QDir::Files);
  return all.size() > 1 ? file.absolutePath() : QString();
}

QStringList Document::leftOut() const {
  QStringList reasons;
  if (reader_) {
    for (const auto& reason : reader_->leftOut()) reasons << QString::fromStdString(reason);
  }
  return reasons;
}

const Journal& Document::journal() const {
  if (reader_) {
    return reader_->journal();
  }
  return engine_ && engine_->journal() != nullptr ? *engine_->journal() : emptyJournal();
}

QString Document::title() const {
  const auto title = journal().meta("title");
  return title.empty() ? fileName() : toQString(title);
}

QString Document::fileName() const { return QFileInfo(path_).fileName(); }

QString Document::stateText() const {
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
  for (const EventId problem : {journal().firstError(), journal().firstDifference()}) {
    first = problem == 0 ? first : std::min(first, problem);
  }
  return first;
}

std::optional<Failure> Document::failure() const { return failureOf(journal(), lostRanks()); }

std::vector<int> Document::lostRanks() const {
  return reader_ ? reader_->lostRanks() : std::vector<int>();
}

bool Document::canSave() const {
  return engine_ ? engine_->journal() != nullptr : !QFileInfo(path_).isDir();
}

QString Document::recordingPath() const { return engine_ ? engine_->recording() : path_; }

Result<void> Document::save(const QString& path) const {
  const QString source = recordingPath();
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
