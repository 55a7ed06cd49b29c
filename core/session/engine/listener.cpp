#include "core/session/engine/listener.h"

#include "core/protocol/engine_protocol.h"

namespace shardlens {

Listener::Listener(LineSocket& socket, Gate& gate)
    : socket_(socket), gate_(gate), thread_([this] { listen(); }) {}

Listener::~Listener() {
  socket_.shutDown();
  thread_.join();
}

void Listener::listen() {
  while (const auto line = socket_.read()) {
    const auto request = parseRequest(*line);
    if (!request) return gate_.stop(request.error().message);
    if (request->kind == Request::Kind::Stop) break;
    gate_.release(request->position);
  }
  gate_.stop();
}

}  // namespace shardlens
