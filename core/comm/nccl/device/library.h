#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace shardlens {

// A shared library that is opened when the program runs. It stays open: what such a library has
// started does not bear its leaving.
class Library {
 public:
  // The first of these that opens: paths, or names that the loader looks for.
  static Result<Library> open(const std::vector<std::string>& names);

  const std::filesystem::path& path() const { return path_; }
  Result<void*> find(const char* symbol) const;
  // The same as a function of the type that the target has.
  template <class Function>
  Result<void> findInto(Function& function, const char* symbol) const {
    return find(symbol).map([&](void* found) { function = reinterpret_cast<Function>(found); });
  }

 private:
  Library(void* handle, std::filesystem::path path) : handle_(handle), path_(std::move(path)) {}

  void* handle_;
  std::filesystem::path path_;
};

// The folder of the libtorch that this program runs with; of the one that it was built with where
// it runs without.
std::optional<std::filesystem::path> torchFolder();

// Where to look for NCCL: the one that torch came with is opened by its full path, since a folder
// in LD_LIBRARY_PATH may have an older one, under which torch's CUDA part does not load.
std::vector<std::string> ncclNames();
// The CUDA runtime of this name: the one that is there already, which is torch's.
std::vector<std::string> cudaRuntimeNames(const std::string& name);

}  // namespace shardlens
