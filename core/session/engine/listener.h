#pragma once

#include "core/session/engine/gate.h"
#include "core/session/engine/line_socket.h"

#include <thread>

namespace shardlens {

// A thread that reads the window's requests and passes them to the gate. Stops the gate if the
// window disconnects, requests it, or sends an unknown request, so that no engine outlives its
// window. The destructor shuts the socket down and joins the thread.
class Listener {
 public:
  // Starts the thread. Both must outlive the listener.
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
