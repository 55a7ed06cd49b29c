#pragma once

#include "app/python/program_site.h"
#include "core/session/world.h"
#include "core/trace/file/trace_writer.h"

#include <memory>
#include <string>
#include <vector>

namespace shardlens {

// The recording of a Python program: what its world does from now on, until it is closed, goes to a
// file. Throws Refusal where that cannot be written, and where a recording has begun already.
class ProgramRecording {
 public:
  // `program`: the file that runs, and `arguments` what it got; `values`: rules as in
  // "stats:step=3-5"; `libraries`: see ProgramSite.
  ProgramRecording(World& world, const std::string& path, const std::vector<std::string>& values,
                   std::string program, const std::string& arguments,
                   std::vector<std::string> libraries);
  ~ProgramRecording();
  ProgramRecording(const ProgramRecording&) = delete;
  ProgramRecording& operator=(const ProgramRecording&) = delete;

  ProgramSite& site() { return *site_; }
  // That the program ended with this, where its traceback says.
  void error(const std::string& message, pybind11::handle traceback);
  void flush();
  // Once; what could not be written is thrown as a Refusal.
  void close();

 private:
  World& world_;
  std::shared_ptr<ProgramSite> site_;
  std::unique_ptr<TraceWriter> writer_;  // none once it is closed
};

}  // namespace shardlens
