#pragma once

#include "core/base/result.h"
#include "core/follow/frames.h"

#include <chrono>
#include <optional>

namespace shardlens {

// A TCP connection that carries frames.
class Socket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static Result<Socket> connect(const std::string& host, const std::string& port);
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&&) = delete;
  ~Socket();

  // How long a send or a receive may take.
  void setPatience(std::chrono::seconds patience) const;
  // False when the other side has gone.
  [[nodiscard]] bool send(std::string_view bytes) const;
  // None when the other side has gone, says nothing for too long, or more than it may, or has not
  // said all of it by then.
  std::optional<Frame> receive(std::size_t most, std::optional<Time> until = {}) const;
  // Waits so long at most; true when the other side, which has nothing more to say, has gone or
  // says something.
  bool hasGone(std::chrono::milliseconds wait) const;

 private:
  bool hasBytes(Time until) const;
  bool fill(char* into, std::size_t bytes, std::optional<Time> until) const;

  int descriptor_;
};

// Listens on 127.0.0.1 and nowhere else.
class LoopbackListener {
 public:
  static Result<LoopbackListener> open(std::uint16_t port);  // 0: any that is free
  LoopbackListener(LoopbackListener&& other) noexcept;
  LoopbackListener& operator=(LoopbackListener&&) = delete;
  ~LoopbackListener();

  std::uint16_t port() const;
  std::optional<Socket> accept() const;

 private:
  explicit LoopbackListener(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace shardlens
