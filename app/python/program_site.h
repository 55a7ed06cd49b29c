#pragma once

#include "core/trace/records/site_record.h"

#include <pybind11/pybind11.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
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

  void setModule(std::string path);
  // "forward", or nothing for what is outside of both, as an optimizer's step is.
  void setPass(std::string pass);
  // While it is there, now() is where the traceback of an exception ended in the program. Of None
  // it changes nothing.
  class Raised {
   public:
    Raised(ProgramSite& site, pybind11::handle traceback);
    ~Raised() { site_.raised_.reset(); }
    Raised(const Raised&) = delete;
    Raised& operator=(const Raised&) = delete;

   private:
    ProgramSite& site_;
  };
  // The same object for the same place.
  std::shared_ptr<const SiteRecord> now();
  // Of a file that runs, though nothing has named it yet.
  void tellSource(const std::string& file);

 private:
  struct Code {
    bool isLibrary = false;
    std::string file = {};
    std::string function = {};
  };

  // A place in a code, while that module runs.
  struct Place {
    PyCodeObject* code;  // null where the program is not
    int instruction;
    int context;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const {
      const auto code = std::hash<PyCodeObject*>{}(place.code);
      return code ^ (static_cast<std::size_t>(place.instruction) << 20U) ^
             static_cast<std::size_t>(place.context) * 0x9E3779B97F4A7C15U;
    }
  };

  const Code& describe(PyCodeObject* code);
  void setContext();
  const std::shared_ptr<const SiteRecord>& at(const Place& place, PyFrameObject* frame);

  std::vector<std::string> libraries_;
  Sources sources_;
  std::unordered_set<std::string> told_;           // files
  std::unordered_map<PyCodeObject*, Code> codes_;  // which it holds
  std::string module_;
  std::string pass_ = "forward";
  std::map<std::pair<std::string, std::string>, int> contexts_{{{{}, "forward"}, 0}};
  int context_ = 0;  // the module and pass of now
  std::shared_ptr<const SiteRecord> raised_;
  std::unordered_map<Place, std::shared_ptr<const SiteRecord>, PlaceHash> sites_;
};

}  // namespace shardlens
