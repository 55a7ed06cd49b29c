#include "core/session/engine.h"

#include "core/session/gate.h"
#include "core/session/line_socket.h"
#include "core/session/session.h"
#include "core/trace/protocol.h"
#include "core/trace/trace_file.h"

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace shardlens {
namespace {

constexpr int kCannotBegin = 2;

int refuse(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return kCannotBegin;
}

// Hears the window while the engine's thread runs or waits at the gate. A window that has gone
// stops the engine, so that none is left behind.
void listen(LineSocket& socket, Gate& gate) {
  while (const auto line = socket.read()) {
    const auto request = parseRequest(*line);
    if (!request) continue;
    if (request->kind == Request::Kind::Stop) break;
    gate.release(request->position);
  }
  gate.stop();
}

}  // namespace

int runEngine(const EngineOptions& options) {
  auto scenarios = readScenarios(options.scenario);
  if (!scenarios) return refuse(scenarios.error());
  auto writer = TraceWriter::create(options.record);
  if (!writer) return refuse(writer.error());
  auto socket = LineSocket::connect(options.socket);
  if (!socket) return refuse(socket.error());

  const auto report = [&](Report::Kind kind, EventId position) {
    // A recording that cannot be written is told by close(), and a window that has gone by read().
    (void)(*writer)->flush();
    (void)socket->write(encode(Report{kind, position}));
  };
  Gate gate([&](EventId position) { report(Report::Kind::Paused, position); },
            [&] {
              (void)(*writer)->close();
              std::_Exit(0);
            });
  std::thread listener([&] { listen(*socket, gate); });
  {
    Session session(std::move(scenarios->front()), {{&gate, writer->get()}, CaptureLevel::All});
    while (session.step()) {
    }
  }
  const auto closed = (*writer)->close();
  (void)socket->write(encode(Report{Report::Kind::Finished, gate.position()}));
  socket->shutDown();
  listener.join();
  return closed ? 0 : refuse(closed.error());
}

}  // namespace shardlens
