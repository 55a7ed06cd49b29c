#pragma once

#include "core/base/result.h"
#include "core/follow/frames.h"

#include <chrono>
#include <optional>

namespace shardlens {

// A TCP connection that carries frames. Owns the descriptor.
class Socket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Connects to the first address of `host` that accepts. Blocks.
  static Result<Socket> connect(const std::string& host, const std::string& port);
  // Takes ownership of the descriptor, which it closes. A moved-from socket has none.
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&&) = delete;
  ~Socket();

  // Sets the timeout of each send and receive call of the system; 0 is none.
  void setPatience(std::chrono::seconds patience) const;
  // Sends all bytes. Returns false if the connection is lost or times out.
  [[nodiscard]] bool send(std::string_view bytes) const;
  // Receives a frame. Returns nullopt if the connection is lost or times out, the body is longer
  // than `most` bytes, or the frame is incomplete at `until`.
  std::optional<Frame> receive(std::size_t most, std::optional<Time> until = {}) const;
  // Waits for at most `wait`. Returns true if the peer has disconnected or sent data, which is not
  // expected.
  bool hasGone(std::chrono::milliseconds wait) const;

 private:
  bool hasBytes(Time until) const;
  bool fill(char* into, std::size_t bytes, std::optional<Time> until) const;

  int descriptor_;
};

// A listening socket on 127.0.0.1. Owns the descriptor.
class LoopbackListener {
 public:
  static Result<LoopbackListener> open(std::uint16_t port);  // 0: any free port
  LoopbackListener(LoopbackListener&& other) noexcept;
  LoopbackListener& operator=(LoopbackListener&&) = delete;
  ~LoopbackListener();

  // The port it is bound to.
  std::uint16_t port() const;
  // Blocks until a client connects. Returns nullopt if accepting fails.
  std::optional<Socket> accept() const;

 private:
  explicit LoopbackListener(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace shardlens
