#pragma once

#include "core/trace/file/trace_writer.h"

namespace shardlens {

// While it exists, std::terminate() first waits until the writer's data are in its file, as when a
// thread of a communication library throws. One per process.
class FlushAtTerminate {
 public:
  explicit FlushAtTerminate(TraceWriter& writer);
  ~FlushAtTerminate();
  FlushAtTerminate(const FlushAtTerminate&) = delete;
  FlushAtTerminate& operator=(const FlushAtTerminate&) = delete;
};

}  // namespace shardlens
