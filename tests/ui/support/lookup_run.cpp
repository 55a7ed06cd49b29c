#include "tests/ui/support/lookup_run.h"

#include "core/trace/file/trace_writer.h"

#include <stdexcept>

namespace shardlens {

void writeLookup(const QString& path) {
  auto writer = TraceWriter::create(path.toStdString());
  if (!writer) {
    throw std::runtime_error(writer.error().message);
  }
  Recorder recorder;
  recorder.addSink(**writer);
  recordLookup(recorder);
  const auto flushed = (*writer)->flush();
  if (!flushed) {
    throw std::runtime_error(flushed.error().message);
  }
}

}  // namespace shardlens
