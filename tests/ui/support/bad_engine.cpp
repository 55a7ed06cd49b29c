// A fake engine that misbehaves as the scenario's name says. refuse: exits with an error. leave:
// exits silently. mute: never connects. mutter: sends an unknown message and hangs. babble: sends a
// line without end. hurry, collapse: records very much at once, then finishes or dies. With other
// names it serves the recording of a lookup; at the first request, hang stops answering, and the
// others (die) are killed.
#include "core/protocol/engine_protocol.h"
#include "core/trace/file/trace_writer.h"
#include "core/trace/recorder/recorder.h"
#include "tests/ui/support/lookup_run.h"

#include <QFileInfo>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

int connectTo(const char* path) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    std::perror("connect");
    std::exit(1);
  }
  return socket;
}

void send(int socket, const std::string& line) {
  if (write(socket, line.data(), line.size()) < 0) {
    std::exit(1);
  }
}

// Records so many events at once that a client has not read all of them when the report arrives.
class Hurry {
 public:
  Hurry(int socket, const char* file)
      : socket_(socket), writer_(shardlens::TraceWriter::create(file).value()) {
    recorder_.addSink(*writer_);
    record(1);
  }
  void report(shardlens::Report::Kind kind) { send(socket_, shardlens::encode({kind, 0})); }
  void recordMuchOnRequest() {
    std::array<char, 256> request{};
    if (read(socket_, request.data(), request.size()) <= 0) {
      std::exit(1);
    }
    record(150'000);
  }

 private:
  void record(int events) {
    for (int i = 0; i < events; ++i) {
      recorder_.note(shardlens::Event{});
    }
    if (!writer_->flush()) {
      std::exit(1);
    }
  }

  int socket_;
  std::unique_ptr<shardlens::TraceWriter> writer_;
  shardlens::Recorder recorder_;
};

[[noreturn]] void forEver() {
  while (true) {
    pause();
  }
}

}  // namespace

// engine --socket PATH --record FILE SCENARIO
int main(int argc, char** argv) {
  if (argc != 7) {
    return 64;
  }
  const QString part = QFileInfo(QString::fromLocal8Bit(argv[6])).completeBaseName();
  if (part == QStringLiteral("refuse")) {
    std::fputs("refuse.json:3: expected a mesh\n", stderr);
    return 2;
  }
  if (part == QStringLiteral("leave")) {
    return 0;
  }
  if (part == QStringLiteral("mute")) {
    forEver();
  }
  const int socket = connectTo(argv[3]);
  if (part == QStringLiteral("mutter")) {
    send(socket, "what?\n");
    forEver();
  }
  while (part == QStringLiteral("babble")) {
    send(socket, std::string(1000, 'x'));
  }
  using Kind = shardlens::Report::Kind;
  if (part == QStringLiteral("hurry") || part == QStringLiteral("collapse")) {
    Hurry engine(socket, argv[5]);
    engine.report(Kind::Paused);
    engine.recordMuchOnRequest();
    if (part == QStringLiteral("collapse")) {
      return std::raise(SIGKILL);
    }
    engine.report(Kind::Paused);
    engine.recordMuchOnRequest();
    engine.report(Kind::Finished);
    return 0;
  }
  shardlens::writeLookup(QString::fromLocal8Bit(argv[5]));
  send(socket, shardlens::encode({Kind::Paused, 0}));
  char request = 0;
  if (read(socket, &request, 1) != 1 || part == QStringLiteral("hang")) {
    forEver();
  }
  return std::raise(SIGKILL);
}
