#include "ui/bridge/dry_run.h"

#include "ui/bridge/engine_client.h"
#include "ui/bridge/recording_task.h"

#include <QFile>
#include <utility>

namespace shardlens {
namespace {

constexpr int kSoon = 200;    // ms in which more may be typed
constexpr int kUnusable = 2;  // the engine's exit code for a file that is no program

}  // namespace

DryRun::DryRun(QObject* parent) : QObject(parent) {
  wait_.setSingleShot(true);
  wait_.setInterval(kSoon);
  connect(&wait_, &QTimer::timeout, this, &DryRun::run);
}

// Those that were killed before are about to end.
DryRun::~DryRun() {
  cancel();
  for (QProcess* ending : findChildren<QProcess*>()) {
    ending->waitForFinished();
  }
}

void DryRun::start(const std::string& program, const QString& name) {
  cancel();
  program_ = program;
  name_ = name;
  wait_.start();
}

void DryRun::cancel() {
  wait_.stop();
  reading_.reset();
  if (process_) {
    process_->disconnect(this);
    process_->kill();
    QProcess* ending = process_.release();
    connect(ending, &QProcess::finished, ending, &QObject::deleteLater);
    ending->setParent(this);
  }
}

void DryRun::run() {
  QFile file(folder_.filePath(name_));
  if (!file.open(QIODevice::WriteOnly) ||
      file.write(program_.data(), static_cast<qint64>(program_.size())) < 0) {
    return Q_EMIT failed(file.fileName() + QStringLiteral(": ") + file.errorString());
  }
  file.close();
  process_ = std::make_unique<QProcess>();
  process_->setStandardInputFile(QProcess::nullDevice());
  process_->setStandardOutputFile(QProcess::nullDevice());
  connect(process_.get(), &QProcess::finished, this, &DryRun::ended);
  connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) {
      const QString program = std::exchange(process_, nullptr).release()->program();
      Q_EMIT failed(tr("The engine could not be started: %1").arg(program));
    }
  });
  process_->start(EngineClient::program(),
                  {QStringLiteral("run"), QStringLiteral("--dry"), QStringLiteral("--record"),
                   folder_.filePath(QStringLiteral("dry.shardlens")), file.fileName()});
}

void DryRun::ended() {
  QProcess* ended = process_.release();
  ended->deleteLater();
  if (ended->exitStatus() == QProcess::NormalExit && ended->exitCode() < kUnusable) {
    return read();
  }
  QString words = QString::fromUtf8(ended->readAllStandardError()).trimmed();
  words.remove(QStringLiteral("shardlens: "));
  words.replace(folder_.filePath(name_), name_);
  Q_EMIT failed(words.isEmpty() ? tr("The engine ended before it had reckoned.") : words);
}

void DryRun::read() {
  const auto costs = std::make_shared<view::RunCosts>();
  reading_ = withRecording({folder_.filePath(QStringLiteral("dry.shardlens"))},
                           [costs](const Journal& journal, const Progress& /*progress*/) {
                             *costs = view::costsOf(journal);
                             return Result<void>();
                           });
  connect(reading_.get(), &BackgroundTask::finished, this, [this, costs] {
    reading_.release()->deleteLater();
    Q_EMIT finished(*costs);
  });
  connect(reading_.get(), &BackgroundTask::failed, this, [this](const QString& message) {
    reading_.release()->deleteLater();
    Q_EMIT failed(message);
  });
}

}  // namespace shardlens
