#include "core/session/engine/engine.h"

#include "core/protocol/engine_protocol.h"
#include "core/session/engine/gate.h"
#include "core/session/engine/line_socket.h"
#include "core/session/engine/listener.h"
#include "core/session/session.h"
#include "core/trace/file/trace_writer.h"

#include <cstdio>
#include <cstdlib>

namespace shardlens {
namespace {

constexpr int kCannotGoOn = 1;
constexpr int kCannotBegin = 2;

int refuse(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return kCannotBegin;
}

}  // namespace

int runEngine(const EngineOptions& options) {
  auto scenarios = readScenarios(options.scenario);
  if (!scenarios) return refuse(scenarios.error());
  if (const auto fits = Backend().verify(scenarios->front().mesh.size()); !fits) {
    return refuse({scenarios->front().path + ": " + fits.error().message});
  }
  auto writer = TraceWriter::create(options.record);
  if (!writer) return refuse(writer.error());
  auto socket = LineSocket::connect(options.socket);
  if (!socket) return refuse(socket.error());

  const auto report = [&](Report::Kind kind, EventId position) {
    // Errors are ignored here: close() reports a failed recording, and read() a closed socket.
    (void)(*writer)->flush();
    (void)socket->write(encode(Report{kind, position}));
  };
  Stopwatch clock;
  Gate gate([&](EventId position) { report(Report::Kind::Paused, position); },
            [&](const std::string& why) {
              (void)(*writer)->close();
              if (!why.empty()) std::fprintf(stderr, "%s\n", why.c_str());
              std::_Exit(why.empty() ? 0 : kCannotGoOn);
            },
            clock);
  const Listener listener(*socket, gate);
  {
    const auto results = options.check ? Results::Checked : Results::Trusted;
    Session session(std::move(scenarios->front()), {.sinks = {&gate, writer->get()},
                                                    .capture = CaptureLevel::All,
                                                    .answer = Answer::Skip,
                                                    .results = results,
                                                    .clock = [&] { return clock.now(); }});
    while (session.step()) {
    }
  }
  const auto closed = (*writer)->close();
  (void)socket->write(encode(Report{Report::Kind::Finished, gate.position()}));
  return closed ? 0 : refuse(closed.error());
}

}  // namespace shardlens
