#include "ui/bridge/follow_client.h"

#include "core/protocol/follow_report.h"
#include "ui/bridge/engine_client.h"

#include <QJsonDocument>
#include <utility>

namespace shardlens {
namespace {

constexpr int kGrace = 1500;  // ms to wait for the killed child

}  // namespace

FollowClient::FollowClient(QObject* parent) : QObject(parent) {
  connect(&process_, &QProcess::readyReadStandardOutput, this, &FollowClient::readLines);
  connect(&process_, &QProcess::finished, this, &FollowClient::finished);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) {
      Q_EMIT failed(
          tr("The program that follows the run could not be started: %1").arg(process_.program()));
    }
  });
}

FollowClient::~FollowClient() {
  process_.disconnect(this);
  if (process_.state() != QProcess::NotRunning) {
    process_.kill();
    process_.waitForFinished(kGrace);
  }
}

// The token is passed in the environment, because other users can see a process's arguments.
void FollowClient::start(const QString& where, const QString& token) {
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("SHARDLENS_TOKEN"), token);
  process_.setProcessEnvironment(environment);
  process_.setStandardInputFile(QProcess::nullDevice());
  process_.start(EngineClient::program(),
                 {QStringLiteral("follow"), where, QStringLiteral("--into"), folder_.path(),
                  QStringLiteral("--json")});
}

void FollowClient::readLines() {
  while (process_.canReadLine()) {
    const auto report = parseFollowReport(process_.readLine().toStdString());
    if (report) {
      take(*report);
    }
  }
}

// The reports about the end are ignored; finished() uses the exit code.
void FollowClient::take(const FollowReport& report) {
  using Kind = FollowReport::Kind;
  if (report.kind == Kind::Recording && !std::exchange(hasArrived_, true)) {
    Q_EMIT arrived();
  } else if (report.kind == Kind::Retrying) {
    isLost_ = true;
    Q_EMIT lost();
  } else if (report.kind == Kind::Following && std::exchange(isLost_, false)) {
    Q_EMIT found();
  }
}

void FollowClient::finished(int exitCode, QProcess::ExitStatus status) {
  readLines();
  const auto error = QJsonDocument::fromJson(process_.readAllStandardError())[u"error"];
  QString words = error[u"message"].toString().section(u'\n', 0, 0);
  words.remove(QStringLiteral("follow: "));
  if (status == QProcess::NormalExit && exitCode == 0) {
    Q_EMIT ended();
  } else if (status == QProcess::NormalExit && exitCode == 1) {
    Q_EMIT failed(tr("Connection lost. The events recorded until then are still available."));
  } else {
    Q_EMIT failed(words.isEmpty() ? tr("The program that follows the run crashed.") : words);
  }
}

}  // namespace shardlens
