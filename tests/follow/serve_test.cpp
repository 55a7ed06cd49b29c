#include "core/follow/serve.h"

#include "core/follow/socket.h"
#include "tests/support/scratch_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace shardlens {
namespace {

// Shared by the threads of a server, which outlive a test.
struct Log {
  std::atomic<int> lines = 0;
  std::atomic<bool> isWriting = false, overlaps = false;

  void write() {
    if (isWriting.exchange(true)) overlaps = true;
    for (int i = 0; i < 2000; ++i) std::this_thread::yield();
    ++lines;
    isWriting = false;
  }
};

// Serves the folder and returns the port.
std::string portOf(const std::filesystem::path& folder, const std::shared_ptr<Log>& log) {
  std::promise<std::uint16_t> listening;
  auto port = listening.get_future();
  std::thread([folder, log, listening = std::move(listening)]() mutable {
    serve({.folder = folder,
           .token = "t",
           .onListening = [&](std::uint16_t number) { listening.set_value(number); },
           .log = [log](const std::string&) { log->write(); }});
  }).detach();
  return std::to_string(port.get());
}

// Connects and waits for the first frame, before which the server logs a line.
bool follows(const std::string& port) {
  const auto socket = Socket::connect("127.0.0.1", port);
  if (!socket || !socket->send(packed(FrameKind::Hello, R"({"token": "t"})"))) return false;
  const auto frame = socket->receive(kMostOfFrame);
  return frame && frame->kind == FrameKind::Alive;
}

TEST(Serve, ClientsLogOneAfterTheOther) {
  const ScratchFolder folder;
  const auto log = std::make_shared<Log>();
  const std::string port = portOf(folder.path(), log);
  std::vector<std::future<bool>> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(std::async(std::launch::async, follows, port));
  for (auto& client : clients) EXPECT_TRUE(client.get());
  EXPECT_GE(log->lines, 8);
  EXPECT_FALSE(log->overlaps);
}

}  // namespace
}  // namespace shardlens
