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

using Variables = std::map<std::string, std::string>;

// Returns the environment of this process, with these variables added or replaced.
std::vector<std::string> environmentWith(const Variables& variables) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!variables.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Starts a process whose standard input and output are the socket `childEnd`. Returns its id.
Result<pid_t> launch(std::vector<std::string> command, const Variables& variables, int childEnd) {
  auto environment = environmentWith(variables);
  auto words = pointersTo(command), settings = pointersTo(environment);
  posix_spawn_file_actions_t ends;
  posix_spawn_file_actions_init(&ends);
  posix_spawn_file_actions_adddup2(&ends, childEnd, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&ends, childEnd, STDOUT_FILENO);
  pid_t process = -1;
  const int failure =
      posix_spawn(&process, words[0], &ends, nullptr, words.data(), settings.data());
  posix_spawn_file_actions_destroy(&ends);
  if (failure != 0) return fail(command[0] + ": " + std::strerror(failure));
  return process;
}

}  // namespace

Result<Peer> Peer::start(const std::vector<std::string>& command) {
  auto peer = spawn(command, {});
  if (!peer) return peer;
  if (const auto greeted = peer->greet(); !greeted) return tl::unexpected(greeted.error());
  return peer;
}

Result<Peer> Peer::spawn(std::vector<std::string> command, const Variables& variables) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(std::string("a socket for the peer: ") + std::strerror(errno));
  }
  const auto process = launch(std::move(command), variables, ends[1]);
  close(ends[1]);
  Peer peer(process.value_or(-1), ends[0]);
  if (!process) return tl::unexpected(process.error());
  return peer;
}

Result<void> Peer::greet() {
  const auto hello = answer();
  if (!hello) return tl::unexpected(hello.error());
  if (hello->contains("missing")) return fail(hello->at("missing").dump());
  torchVersion_ = hello->value("torch", "");
  return {};
}

Peer::Peer(Peer&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      socket_(std::exchange(other.socket_, -1)),
      pending_(std::move(other.pending_)),
      torchVersion_(std::move(other.torchVersion_)) {}

Peer::~Peer() {
  dismiss();
  if (process_ >= 0) waitpid(process_, nullptr, 0);
}

void Peer::dismiss() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

Result<nlohmann::json> Peer::ask(const nlohmann::json& question) {
  return send(question).and_then([this] { return answer(); });
}

Result<void> Peer::send(const nlohmann::json& question) const {
  const std::string line = question.dump() + "\n";
  for (std::size_t sent = 0; sent < line.size();) {
    const auto count = ::send(socket_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0) return fail("the peer has gone");
    sent += static_cast<std::size_t>(count);
  }
  return {};
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
