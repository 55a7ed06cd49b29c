#include "ui/bridge/dry_run.h"

#include "ui/bridge/recording_task.h"

namespace shardlens {
namespace {

constexpr int kSoon = 200;  // ms without typing before the engine starts

}  // namespace

DryRun::DryRun(QObject* parent) : QObject(parent) {
  wait_.setSingleShot(true);
  wait_.setInterval(kSoon);
  connect(&wait_, &QTimer::timeout, this, &DryRun::run);
  connect(&command_, &EngineCommand::finished, this, &DryRun::read);
  connect(&command_, &EngineCommand::failed, this, [this](QString message) {
    Q_EMIT failed(message.replace(folder_.filePath(name_), name_));
  });
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
  command_.cancel();
}

void DryRun::run() {
  const auto file = folder_.write(name_, program_);
  if (!file) {
    return Q_EMIT failed(QString::fromStdString(file.error().message));
  }
  command_.start({QStringLiteral("run"), QStringLiteral("--dry"), QStringLiteral("--record"),
                  folder_.filePath(QStringLiteral("dry.shardlens")), *file},
                 EngineCommand::Output::Discarded);
}

void DryRun::read() {
  const auto costs = std::make_shared<view::RunCosts>();
  reading_ = withRecording(QStringList(folder_.filePath(QStringLiteral("dry.shardlens"))),
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
