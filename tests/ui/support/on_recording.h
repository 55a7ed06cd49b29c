#pragma once

#include "core/trace/file/trace_writer.h"
#include "tests/ui/support/lookup_run.h"
#include "tests/ui/support/window.h"

#include <gtest/gtest.h>

#include <vector>

namespace shardlens {

// A window at the start of the lookup's recording. `opened` is false if that failed.
struct OnRecording : Window {
  OnRecording() {
    writeLookup(path("run.shardlens"));
    opened = open(path("run.shardlens")) && shows(QStringLiteral("event 25 of 25"));
    window.cursor().toStart();
    opened = opened && shows(QStringLiteral("event 0 of 25"));
  }
  bool opened = false;
};

// Writes a recording of events of these kinds.
inline void writeEvents(const QString& path, const std::vector<EventKind>& kinds) {
  const auto writer = TraceWriter::create(path.toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.meta("mesh", "2:tp");
  for (const EventKind kind : kinds) {
    Event event;
    event.kind = kind;
    event.name = recorder.intern("what happened");
    recorder.note(event);
  }
  EXPECT_TRUE(writer->close());
}

// Writes the recording of one of two processes, with this number of events.
inline void writeProcess(const QString& path, const char* rank, int events = 1) {
  const auto writer = TraceWriter::create(path.toStdString()).value();
  Recorder recorder;
  recorder.addSink(*writer);
  recorder.meta("mesh", "2:tp");
  recorder.meta("hosted", rank);
  for (int i = 0; i < events; ++i) recorder.note(Event{});
  EXPECT_TRUE(writer->close());
}

}  // namespace shardlens
