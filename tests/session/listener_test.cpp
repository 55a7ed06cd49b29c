#include "core/session/engine/listener.h"

#include "core/protocol/engine_protocol.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace shardlens {
namespace {

// The window's end of the engine's socket.
class Window {
 public:
  Window() {
    std::string name = testing::TempDir() + "window-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path().c_str(), sizeof(address.sun_path) - 1);
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
  }
  ~Window() {
    ::close(connection_);
    ::close(listener_);
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::path path() const { return folder_ / "socket"; }
  LineSocket engine() {
    auto engine = LineSocket::connect(path());
    EXPECT_TRUE(engine);
    connection_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    return std::move(*engine);
  }
  // Sends bytes to the engine. Returns how many were sent before the engine closed the connection.
  std::size_t send(std::string_view bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const auto n = ::send(connection_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    return sent;
  }
  void leave() { ::shutdown(connection_, SHUT_RDWR); }

 private:
  std::filesystem::path folder_;
  int listener_ = -1;
  int connection_ = -1;
};

// Returns why the listener stops the gate after these bytes, or "" if it does not.
std::string stoppedAt(const std::string& bytes) {
  Window window;
  auto socket = window.engine();
  std::optional<std::string> stopped;
  Stopwatch clock;
  Gate gate([](EventId) {}, [&](const std::string& why) { stopped = why; }, clock);
  const Listener listener(socket, gate);
  window.send(bytes);
  window.leave();
  gate.onEvent(1, {});
  return stopped.value_or("");
}

TEST(Listener, EndsWithItselfWhileTheWindowIsStillThere) {
  Window window;
  auto socket = window.engine();
  Stopwatch clock;
  Gate gate([](EventId) {}, [](const std::string&) {}, clock);
  try {
    const Listener listener(socket, gate);
    throw std::runtime_error("in the middle of a run");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(window.send("\n"), 0U);
}

TEST(Listener, AClosedWindowIsNoError) {
  EXPECT_EQ(stoppedAt(""), "");
  EXPECT_EQ(stoppedAt("{\"request\": \"run_to\", \"posit"), "");
  EXPECT_EQ(stoppedAt(encode(Request{Request::Kind::Stop, 0}) + "nonsense\n"), "");
}

TEST(Listener, StopsTheEngineAtAnUnknownRequest) {
  const std::string expected = "engine protocol: got `";
  EXPECT_EQ(stoppedAt("GET / HTTP/1.1\r\n\r\n"),
            expected + "GET / HTTP/1.1`, expected one JSON object a line");
  EXPECT_EQ(stoppedAt(R"({"request": "run_to", "position": -1})"
                      "\n"),
            expected + R"({"request": "run_to", "position": -1}`, expected a `position` from 0 to )"
                       "4294967295");
  EXPECT_EQ(stoppedAt(std::string(3, '\0') + "\xff\n"),
            expected + "???\xff`, expected one JSON object a line");
  EXPECT_EQ(
      stoppedAt(R"({"request": "run_to", "position": 1e999})"
                "\n"),
      expected + R"({"request": "run_to", "position": 1e999}`, expected one JSON object a line)");
}

TEST(Listener, KeepsNoMoreOfALineThanARequestHas) {
  const std::string shown(80, '[');
  for (const std::size_t size : {LineSocket::kLongestLine + 1, std::size_t{8} << 20}) {
    EXPECT_EQ(stoppedAt(std::string(size, '[')),
              "engine protocol: got `" + shown + "...`, expected one JSON object a line");
  }
  const std::string padding(LineSocket::kLongestLine - 40, ' ');
  const std::string request = R"({"request": "stop",)" + padding +
                              R"("position": 0})"
                              "\n";
  ASSERT_LE(request.size(), LineSocket::kLongestLine);
  EXPECT_EQ(stoppedAt(request), "");
}

}  // namespace
}  // namespace shardlens
