// Called as the window calls the engine, and does what the scenario's name says: refuse, die, hang,
// mutter, babble, or leave. Whatever works in it is borrowed from the recording of a look-up.
#include "core/trace/protocol.h"
#include "tests/ui/support/lookup_run.h"

#include <QFileInfo>
#include <csignal>
#include <cstdio>
#include <cstring>
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

void say(int socket, const std::string& line) {
  if (write(socket, line.data(), line.size()) < 0) {
    std::exit(1);
  }
}

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
    say(socket, "what?\n");
    forEver();
  }
  while (part == QStringLiteral("babble")) {
    say(socket, std::string(1000, 'x'));
  }
  shardlens::writeLookup(QString::fromLocal8Bit(argv[5]));
  say(socket, shardlens::encode({shardlens::Report::Kind::Paused, 0}));
  char request = 0;
  if (read(socket, &request, 1) != 1 || part == QStringLiteral("hang")) {
    forEver();
  }
  return std::raise(SIGKILL);
}
