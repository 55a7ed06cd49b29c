#pragma once

#include "core/session/engine/gate.h"
#include "core/session/engine/line_socket.h"

#include <thread>

namespace shardlens {

// Hears the window in a thread of its own while the engine's runs or waits at the gate. A window
// that has gone, or says what is no request, stops the engine, so that none is left behind. The
// thread ends with this object, also where an exception ends it.
class Listener {
 public:
  Listener(LineSocket& socket, Gate& gate);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  void listen();

  LineSocket& socket_;
  Gate& gate_;
  std::thread thread_;
};

}  // namespace shardlens
