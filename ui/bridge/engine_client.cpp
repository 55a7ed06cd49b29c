#include "ui/bridge/engine_client.h"

#include "ui/bridge/plain_check.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLocalSocket>
#include <utility>

namespace shardlens {
namespace {

constexpr int kFollowInterval = 120;     // ms between polls of a growing recording
constexpr int kStartTimeout = 15000;     // ms without an answer before silent() is emitted
constexpr int kExitGrace = 1500;         // ms for the engine to end after a request or kill
constexpr qint64 kLongestReport = 4096;  // bytes of a protocol line, with the newline
constexpr qsizetype kMostWords = 8192;   // bytes kept of the engine's standard error

}  // namespace

EngineClient::EngineClient(QObject* parent) : QObject(parent) {
  follow_.setSingleShot(true);
  patience_.setInterval(kStartTimeout);
  patience_.setSingleShot(true);
  connect(&follow_, &QTimer::timeout, this, &EngineClient::refresh);
  connect(&patience_, &QTimer::timeout, this, &EngineClient::silent);
  connect(&server_, &QLocalServer::newConnection, this, &EngineClient::connected);
  connect(&process_, &QProcess::readyReadStandardError, this, &EngineClient::readWords);
  connect(&process_, &QProcess::finished, this, &EngineClient::ended);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) {
      abandon(tr("The engine could not be started: %1").arg(process_.program()));
    }
  });
}

EngineClient::~EngineClient() {
  process_.disconnect(this);
  if (socket_ != nullptr) {
    socket_->disconnect(this);
    socket_->abort();
  }
  if (process_.state() != QProcess::NotRunning) {
    process_.kill();
    process_.waitForFinished(kExitGrace);
  }
}

QString EngineClient::program() {
  const QString given = qEnvironmentVariable("SHARDLENS_ENGINE");
  return given.isEmpty()
             ? QCoreApplication::applicationDirPath() + QStringLiteral("/shardlens-engine")
             : given;
}

void EngineClient::start(const QString& scenario) {
  scenario_ = scenario;
  const QString socket = folder_.filePath(QStringLiteral("engine"));
  server_.setSocketOptions(QLocalServer::UserAccessOption);
  if (!folder_.isValid() || !server_.listen(socket)) {
    const QString reason = folder_.isValid() ? server_.errorString() : folder_.errorString();
    // Deferred, because no receiver is connected to the document during start().
    QMetaObject::invokeMethod(
        this,
        [this, reason] {
          abandon(tr("Cannot create a folder for the engine's recording: %1").arg(reason));
        },
        Qt::QueuedConnection);
    return;
  }
  process_.setStandardInputFile(QProcess::nullDevice());
  process_.setStandardOutputFile(QProcess::nullDevice());
  patience_.start();
  QStringList arguments{QStringLiteral("engine"), QStringLiteral("--socket"), socket,
                        QStringLiteral("--record"), recording()};
  if (PlainCheck::isEnabled()) {
    arguments << QStringLiteral("--check");
  }
  process_.start(program(), arguments << scenario);
}

void EngineClient::connected() {
  socket_ = server_.nextPendingConnection();
  server_.close();
  connect(socket_, &QLocalSocket::readyRead, this, &EngineClient::readReports);
  readReports();
}

void EngineClient::readReports() {
  while (socket_ != nullptr && socket_->canReadLine()) {
    const QByteArray line = socket_->readLine().trimmed();
    const auto report =
        parseReport(std::string_view(line.data(), static_cast<size_t>(line.size())));
    if (!report) {
      return abandon(tr("Invalid message from the engine: %1")
                         .arg(QString::fromStdString(report.error().message)));
    }
    take(*report);
  }
  if (socket_ != nullptr && socket_->bytesAvailable() >= kLongestReport) {
    socket_->abort();
    abandon(tr("Invalid message from the engine: got a line of more than %1 bytes, expected one "
               "report per line")
                .arg(kLongestReport));
  }
}

// Keeps the beginning, which names the cause.
void EngineClient::readWords() {
  words_ += process_.readAllStandardError();
  words_.truncate(kMostWords);
}

void EngineClient::take(const Report& report) {
  patience_.stop();
  switch (report.kind) {
    case Report::Kind::Running:
      patience_.start();
      return setState(State::Running);
    case Report::Kind::Paused:
      return become(State::Paused);
    case Report::Kind::Finished:
      return become(State::Finished);
  }
}

void EngineClient::become(State state) {
  reported_ = state;
  refresh();
}

// A receiver of stateChanged() may call runTo(); then the pending request is obsolete.
void EngineClient::paused() {
  const auto waiting = std::exchange(waiting_, std::nullopt);
  setState(State::Paused);
  const EventId size = journal() == nullptr ? 0 : journal()->size();
  if (state_ == State::Paused && waiting && *waiting > size) {
    runTo(*waiting);
  }
}

void EngineClient::runTo(EventId position) {
  if (!mayGrow()) {
    return;
  }
  if (state_ != State::Paused) {
    waiting_ = position;
    return;
  }
  setState(State::Running);
  send({Request::Kind::RunTo, position});
}

void EngineClient::send(const Request& request) {
  if (socket_ != nullptr) {
    const std::string line = encode(request);
    socket_->write(line.data(), static_cast<qint64>(line.size()));
    patience_.start();
  }
}

void EngineClient::stop() {
  if (!mayGrow()) {
    return;
  }
  stopping_ = true;
  send({Request::Kind::Stop, 0});
  QTimer::singleShot(kExitGrace, this, [this] {
    if (process_.state() != QProcess::NotRunning) {
      process_.kill();
    }
  });
}

// Reports may be left in the socket when the process has ended.
void EngineClient::ended() {
  if (socket_ != nullptr) {
    readReports();
  }
  if (mayGrow() && reported_ != State::Finished) {
    become(State::Gone);
  }
}

void EngineClient::reportEnd() {
  readWords();
  const QString words = QString::fromUtf8(words_).trimmed();
  const QString name = QFileInfo(scenario_).fileName();
  const QString kept = journal() != nullptr && journal()->size() > 0
                           ? tr(" The events recorded until then are still available.")
                           : QString();
  if (stopping_) {
    abandon(tr("The engine was stopped.") + kept);
  } else if (process_.exitStatus() == QProcess::CrashExit) {
    abandon(tr("The engine crashed while it ran %1.").arg(name) + kept);
  } else if (process_.exitCode() == 2) {
    abandon(words.isEmpty() ? tr("The engine refused %1.").arg(name) : words);
  } else {
    abandon(tr("The engine ended before the end of %1 (exit code %2).")
                .arg(name)
                .arg(process_.exitCode()) +
            kept + (words.isEmpty() ? QString() : u' ' + words));
  }
}

void EngineClient::abandon(const QString& message) {
  if (state_ == State::Gone) {
    return;
  }
  waiting_.reset();
  reported_.reset();
  setState(State::Gone);
  if (process_.state() != QProcess::NotRunning) {
    process_.kill();
  }
  Q_EMIT failed(message);
}

// Reads a slice. When everything is read, enters the state in `reported_`.
void EngineClient::refresh() {
  bool more = false;
  if (!reader_) {
    auto opened = TraceReader::open(recording().toStdString());
    if (opened) {
      reader_ = std::move(*opened);
      more = true;
    }
  } else {
    const auto refreshed = reader_->refresh();
    more = refreshed && *refreshed;
    if (!refreshed && mayGrow()) {
      return abandon(QString::fromStdString(refreshed.error().message));
    }
  }
  if (more) {
    if (patience_.isActive()) {
      patience_.start();  // the engine is not silent
    }
    follow_.start(0);  // there may be more
    return Q_EMIT grew();
  }
  if (!reported_) {
    return follow_.start(kFollowInterval);
  }
  switch (*std::exchange(reported_, std::nullopt)) {
    case State::Paused:
      return paused();
    case State::Finished:
      waiting_.reset();
      return setState(State::Finished);
    default:
      return reportEnd();
  }
}

// While follow_ is active, the next poll reads the new data.
void EngineClient::pollNow() {
  if (!reader_ || follow_.isActive()) {
    return;
  }
  const auto refreshed = reader_->refresh();
  if (refreshed && *refreshed) {
    Q_EMIT grew();
  }
}

void EngineClient::setState(State state) {
  if (state == state_) {
    return;
  }
  state_ = state;
  if (state == State::Running) {
    follow_.start(kFollowInterval);
  } else {
    follow_.stop();
    patience_.stop();
  }
  Q_EMIT stateChanged();
}

}  // namespace shardlens
