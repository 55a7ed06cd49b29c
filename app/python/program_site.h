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

// The place in a Python program that runs: the innermost stack frame that does not belong to a
// library, with the module and pass that were set. Keeps the code objects that it has seen alive.
// now() and the destructor acquire the GIL; all other functions require it. Use it from one thread
// at a time.
class ProgramSite {
 public:
  // Called once for each file of the program, with its text, before a site names the file. Not
  // called for a file without text or of more than 4 MiB.
  using Sources = std::function<void(const std::string& file, const std::string& text)>;

  // `libraries` are path prefixes of files that do not belong to the program, as torch's folder.

  ProgramSite(std::vector<std::string> libraries, Sources sources)
      : libraries_(std::move(libraries)), sources_(std::move(sources)) {}
  ~ProgramSite();
  ProgramSite(const ProgramSite&) = delete;
  ProgramSite& operator=(const ProgramSite&) = delete;

  // Sets the path of the nn.Module that runs, as "layers.3.attention"; empty outside of modules.
  void setModule(std::string path);
  // Sets the pass: "forward" (the default), or "" outside of forward and backward, as in an
  // optimizer's step.
  void setPass(std::string pass);
  // While it exists, now() returns the innermost place of the program in the traceback of an
  // exception. Changes nothing if the traceback is None or has no frame of the program. One at a
  // time; the site must outlive it.
  class Raised {
   public:
    Raised(ProgramSite& site, pybind11::handle traceback);
    ~Raised() { site_.raised_.reset(); }
    Raised(const Raised&) = delete;
    Raised& operator=(const Raised&) = delete;

   private:
    ProgramSite& site_;
  };
  // Returns the current site of the calling thread; never null. Its file is empty if no frame
  // belongs to the program. Returns the same object for the same instruction, module and pass.
  std::shared_ptr<const SiteRecord> now();
  // Passes the text of a file to Sources before any site names it. Does nothing for a file that has
  // been passed.
  void addSource(const std::string& file);

 private:
  struct Code {
    bool isLibrary = false;
    std::string file = {};
    std::string function = {};
  };

  // The key of a site.
  struct Place {
    PyCodeObject* code;  // null if no frame belongs to the program
    int instruction;     // its index; the line before Python 3.11
    int context;         // see contexts_
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
  std::unordered_set<std::string> knownFiles_;     // files passed to sources_
  std::unordered_map<PyCodeObject*, Code> codes_;  // keys are owned references
  std::string module_;
  std::string pass_ = "forward";
  // A number for each pair of module and pass.
  std::map<std::pair<std::string, std::string>, int> contexts_{{{{}, "forward"}, 0}};
  int context_ = 0;                           // of the current module and pass
  std::shared_ptr<const SiteRecord> raised_;  // set while a Raised exists
  std::unordered_map<Place, std::shared_ptr<const SiteRecord>, PlaceHash> sites_;
};

}  // namespace shardlens
