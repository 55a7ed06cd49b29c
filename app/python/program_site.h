#pragma once

#include "core/trace/records/site_record.h"

#include <pybind11/pybind11.h>

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace shardlens {

// Where a Python program is: the innermost frame whose file is not of these folders, which are
// torch's and our own, and the module that it said it is in. Takes Python's lock itself.
class ProgramSite {
 public:
  // Is told the text of each file of the program, once, before it is named.
  using Sources = std::function<void(const std::string& file, const std::string& text)>;

  ProgramSite(std::vector<std::string> libraries, Sources sources)
      : libraries_(std::move(libraries)), sources_(std::move(sources)) {}
  ~ProgramSite();
  ProgramSite(const ProgramSite&) = delete;
  ProgramSite& operator=(const ProgramSite&) = delete;

  void setModule(std::string path) { module_ = std::move(path); }
  // "forward", or nothing for what is outside of both, as an optimizer's step is.
  void setPass(std::string pass) { pass_ = std::move(pass); }
  SiteRecord now();
  // Of a file that runs, though nothing has named it yet.
  void tellSource(const std::string& file);

 private:
  struct Code {
    bool isLibrary = false;
    std::string file = {};
    std::string function = {};
  };

  const Code& describe(PyCodeObject* code);

  std::vector<std::string> libraries_;
  Sources sources_;
  std::unordered_set<std::string> told_;           // files
  std::unordered_map<PyCodeObject*, Code> codes_;  // which it holds
  std::string module_;
  std::string pass_ = "forward";
};

}  // namespace shardlens
