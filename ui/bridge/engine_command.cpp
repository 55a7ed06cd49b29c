#include "ui/bridge/engine_command.h"

#include "ui/bridge/engine_client.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <utility>

namespace shardlens {
namespace {

constexpr int kUnusable = 2;  // the engine's exit code for a command that it cannot run
const QByteArray kSpeaks = "shardlens: ";

}  // namespace

// Waits for killed processes too, so that none outlives this object.
EngineCommand::~EngineCommand() {
  cancel();
  for (QProcess* ending : findChildren<QProcess*>()) {
    ending->waitForFinished();
  }
}

void EngineCommand::start(const QStringList& arguments, Output output) {
  cancel();
  line_.clear();
  wrong_.clear();
  process_ = std::make_unique<QProcess>();
  process_->setStandardInputFile(QProcess::nullDevice());
  if (output == Output::Discarded) {
    process_->setStandardOutputFile(QProcess::nullDevice());
  }
  connect(process_.get(), &QProcess::readyReadStandardError, this, &EngineCommand::readError);
  connect(process_.get(), &QProcess::finished, this, &EngineCommand::end);
  connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) {
      process_->deleteLater();
      const QString program = std::exchange(process_, nullptr).release()->program();
      Q_EMIT failed(tr("The engine could not be started: %1").arg(program));
    }
  });
  process_->start(EngineClient::program(), arguments);
}

void EngineCommand::cancel() {
  if (process_) {
    process_->disconnect(this);
    process_->kill();
    QProcess* ending = process_.release();
    connect(ending, &QProcess::finished, ending, &QObject::deleteLater);
    ending->setParent(this);
  }
}

void EngineCommand::readError() {
  line_ += process_->readAllStandardError();
  for (qsizetype end = line_.indexOf('\n'); end >= 0 && process_; end = line_.indexOf('\n')) {
    const QByteArray line = line_.left(end);
    line_.remove(0, end + 1);
    const QJsonObject error = QJsonDocument::fromJson(line)[u"error"].toObject();
    if (!error.isEmpty()) {
      wrong_ << error[u"message"].toString();
    } else if (line.startsWith(kSpeaks)) {
      wrong_ << QString::fromUtf8(line.mid(kSpeaks.size()));
    } else {
      Q_EMIT errorLine(QString::fromUtf8(line));
    }
  }
}

void EngineCommand::end() {
  line_ += '\n';
  readError();
  QProcess* ended = process_.release();
  ended->deleteLater();
  if (ended->exitStatus() == QProcess::NormalExit && ended->exitCode() < kUnusable) {
    Q_EMIT finished(ended->readAllStandardOutput());
  } else {
    Q_EMIT failed(wrong_.isEmpty() ? tr("The engine ended without a result.") : wrong_.join(u'\n'));
  }
}

}  // namespace shardlens
