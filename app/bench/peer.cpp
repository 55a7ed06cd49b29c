#include "app/bench/peer.h"

#include <nlohmann/json.hpp>
#include <spawn.h>

#include <array>
#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace shardlens {
namespace {

// The child's standard input and output are the other end of the socket.
Result<pid_t> spawn(std::vector<std::string> command, int childEnd) {
  std::vector<char*> words;
  for (auto& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t ends;
  posix_spawn_file_actions_init(&ends);
  posix_spawn_file_actions_adddup2(&ends, childEnd, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&ends, childEnd, STDOUT_FILENO);
  pid_t process = -1;
  const int failure = posix_spawn(&process, words[0], &ends, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&ends);
  if (failure != 0) return fail(command[0] + ": " + std::strerror(failure));
  return process;
}

}  // namespace

Result<Peer> Peer::start(const std::string& python, const std::string& script, int threads) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(std::string("a socket for the peer: ") + std::strerror(errno));
  }
  const auto process = spawn({python, "-W", "ignore", script, std::to_string(threads)}, ends[1]);
  close(ends[1]);
  Peer peer(process.value_or(-1), ends[0]);
  if (!process) return tl::unexpected(process.error());
  const auto hello = peer.answer();
  if (!hello) return tl::unexpected(hello.error());
  if (hello->contains("missing")) return fail(python + ": " + hello->at("missing").dump());
  peer.torchVersion_ = hello->value("torch", "");
  return peer;
}

Peer::Peer(Peer&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      pending_(std::move(other.pending_)),
      torchVersion_(std::move(other.torchVersion_)) {}

Peer::~Peer() {
  if (socket_ >= 0) close(socket_);  // for the script the end of its questions
  if (process_ >= 0) waitpid(process_, nullptr, 0);
}

Result<nlohmann::json> Peer::ask(const nlohmann::json& question) {
  const std::string line = question.dump() + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const auto count = send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0) return fail("the peer has gone");
    sent += static_cast<std::size_t>(count);
  }
  return answer();
}

Result<nlohmann::json> Peer::answer() {
  std::array<char, 4096> chunk{};
  auto end = pending_.find('\n');
  while (end == std::string::npos) {
    const auto count = read(socket_, chunk.data(), chunk.size());
    if (count <= 0) return fail("the peer has gone without an answer");
    pending_.append(chunk.data(), static_cast<std::size_t>(count));
    end = pending_.find('\n');
  }
  auto said = nlohmann::json::parse(pending_.substr(0, end), nullptr, /*allow_exceptions=*/false);
  pending_.erase(0, end + 1);
  if (!said.is_object()) return fail("the peer's answer is not a JSON object");
  return said;
}

}  // namespace shardlens
