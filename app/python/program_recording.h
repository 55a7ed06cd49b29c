#pragma once

#include "app/python/program_site.h"
#include "core/session/program_session.h"
#include "core/trace/file/trace_writer.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// A recording of what a ProgramSession does, from construction until close(), in a file. All
// functions require the GIL and throw Refusal on errors.
class ProgramRecording {
 public:
  // Replaces the file at `path`. Throws Refusal if it cannot be written, or if `session` is
  // recording already. `session` must outlive this object. `program` is the file that runs,
  // `arguments` its command line, "" for none. `values` are capture rules, as "stats:step=3-5".
  // `libraries`: see ProgramSite.
  ProgramRecording(ProgramSession& session, const std::string& path,
                   const std::vector<std::string>& values, std::string program,
                   const std::string& arguments, std::vector<std::string> libraries);
  // Stops recording and completes the file, but ignores write errors: call close() to get them.
  ~ProgramRecording();
  ProgramRecording(const ProgramRecording&) = delete;
  ProgramRecording& operator=(const ProgramRecording&) = delete;

  ProgramSite& site() { return *site_; }
  // Records an error at the innermost frame of the program in `traceback`, or, if that is None, at
  // the frame that runs. Ignores the error that an operator recorded last, and all errors before
  // the first mesh.
  void error(const std::string& message, pybind11::handle traceback);
  // Blocks until all events so far are written to the file. Does nothing after close().
  void flush();
  // Stops recording and completes the file. Throws Refusal if data could not be written. Later
  // calls do nothing.
  void close();

 private:
  ProgramSession& session_;
  std::shared_ptr<ProgramSite> site_;
  std::unique_ptr<TraceWriter> writer_;  // null after close()
};

}  // namespace shardlens
