#include "tests/session/engine_process.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace shardlens {
namespace {

int listenAt(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(::listen(listener, 1), 0);
  return listener;
}

}  // namespace

EngineProcess::EngineProcess(const std::string& scenario) {
  std::string name = testing::TempDir() + "engine-XXXXXX";
  folder_ = ::mkdtemp(name.data());
  std::ofstream(folder_ / "scenario.json") << scenario;
  const int listener = listenAt(folder_ / "socket");
  int ended[2];
  EXPECT_EQ(::pipe2(ended, O_CLOEXEC), 0);
  child_ = ::fork();
  if (child_ == 0) {
    ::dup2(::open((folder_ / "errors").c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    ::fcntl(ended[1], F_SETFD, 0);  // inherited, so it closes when the engine ends
    ::execl(SHARDLENS_BINARY_DIR "/bin/shardlens-engine", "shardlens", "engine", "--socket",
            (folder_ / "socket").c_str(), "--record", recording().c_str(),
            (folder_ / "scenario.json").c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ended[1]);
  std::array<pollfd, 2> events{{{listener, POLLIN, 0}, {ended[0], POLLIN, 0}}};
  ::poll(events.data(), events.size(), -1);
  if ((events[0].revents & POLLIN) != 0)
    connection_ = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  ::close(listener);
  ::close(ended[0]);
}

EngineProcess::~EngineProcess() {
  hangUp();
  if (!ended_) {
    kill();
    wait();
  }
  std::filesystem::remove_all(folder_);
}

void EngineProcess::send(const Request& request) const { sendBytes(encode(request)); }

void EngineProcess::sendBytes(std::string_view bytes) const {
  EXPECT_EQ(::send(connection_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

std::optional<Report> EngineProcess::receive() {
  for (;;) {
    if (const auto end = pending_.find('\n'); end != std::string::npos) {
      const auto report = parseReport(std::string_view(pending_).substr(0, end));
      EXPECT_TRUE(report) << pending_;
      pending_.erase(0, end + 1);
      return *report;
    }
    std::array<char, 512> chunk;
    const auto n = ::recv(connection_, chunk.data(), chunk.size(), 0);
    if (n <= 0) return std::nullopt;
    pending_.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

Report EngineProcess::settle() {
  for (;;) {
    const auto report = receive();
    EXPECT_TRUE(report) << "the engine has gone: " << errors();
    if (!report || report->kind != Report::Kind::Running) return report.value_or(Report{});
  }
}

void EngineProcess::kill() const { ::kill(child_, SIGKILL); }

void EngineProcess::hangUp() {
  if (connection_ >= 0) ::close(connection_);
  connection_ = -1;
}

int EngineProcess::wait() {
  if (!ended_) {
    int status = 0;
    ::waitpid(child_, &status, 0);
    ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  return *ended_;
}

std::string EngineProcess::errors() const {
  std::ostringstream text;
  text << std::ifstream(folder_ / "errors").rdbuf();
  return text.str();
}

}  // namespace shardlens
