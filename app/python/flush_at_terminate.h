#pragma once

#include "core/trace/file/trace_writer.h"

namespace shardlens {

// A guard: while it exists, std::terminate() first waits until the writer's data are in its file,
// then ends the process as before. For a thread of a communication library that throws. One per
// process. The writer must outlive it.
class FlushAtTerminate {
 public:
  explicit FlushAtTerminate(TraceWriter& writer);
  ~FlushAtTerminate();
  FlushAtTerminate(const FlushAtTerminate&) = delete;
  FlushAtTerminate& operator=(const FlushAtTerminate&) = delete;
};

}  // namespace shardlens
