#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// A shared library that is opened at run time. It is never closed, because what such libraries have
// started does not survive unloading.
class Library {
 public:
  // Opens the first of these names that loads: paths, or names for the loader's search. The error
  // lists the reason of each.
  static Result<Library> open(const std::vector<std::string>& names);

  const std::filesystem::path& path() const { return path_; }
  // Returns the address of a symbol, or an error that names the library.
  Result<void*> find(const char* symbol) const;
  // Assigns a symbol to a function pointer of the target's type. Leaves it unchanged on an error.
  template <class Function>
  Result<void> findInto(Function& function, const char* symbol) const {
    return find(symbol).map([&](void* found) { function = reinterpret_cast<Function>(found); });
  }

 private:
  Library(void* handle, std::filesystem::path path) : handle_(handle), path_(std::move(path)) {}

  void* handle_;
  std::filesystem::path path_;
};

// Returns the folder of the loaded libtorch, else of the libtorch of the build. nullopt if neither
// exists.
std::optional<std::filesystem::path> torchFolder();

// Returns where to look for NCCL, best first. The NCCL of torch's wheel comes with its full path,
// because LD_LIBRARY_PATH may contain an older one with which libtorch_cuda does not load.
std::vector<std::string> ncclNames();
// Returns where to look for the CUDA runtime with this file name. The loaded one comes first,
// because it is torch's.
std::vector<std::string> cudaRuntimeNames(const std::string& name);

}  // namespace shardlens
