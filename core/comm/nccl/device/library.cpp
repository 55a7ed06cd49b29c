#include "core/comm/nccl/device/library.h"

#include "shardlens_gpu_paths.h"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

namespace shardlens {
namespace {

// Returns the folder of the loaded library with this file name, or nullopt.
std::optional<std::filesystem::path> folderOfLoaded(std::string_view name) {
  struct Search {
    std::string_view name;
    std::optional<std::filesystem::path> folder;
  } search{name, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const std::filesystem::path path(info->dlpi_name);
        if (path.filename() != wanted.name) return 0;
        wanted.folder = path.parent_path();
        return 1;
      },
      &search);
  return search.folder;
}

}  // namespace

Result<Library> Library::open(const std::vector<std::string>& names) {
  std::string refusals;
  for (const auto& name : names) {
    void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle != nullptr) {
      link_map* map = nullptr;
      const bool known = dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0;
      return Library(handle, known ? map->l_name : name);
    }
    const char* refusal = dlerror();
    refusals += (refusals.empty() ? "" : "; ") + std::string(refusal == nullptr ? name : refusal);
  }
  return fail(refusals);
}

Result<void*> Library::find(const char* symbol) const {
  void* found = dlsym(handle_, symbol);
  if (found != nullptr) return found;
  return fail(path_.string() + " has no " + symbol);
}

std::optional<std::filesystem::path> torchFolder() {
  if (auto loaded = folderOfLoaded("libtorch_cpu.so")) return loaded;
  if (kTorchLibraries.empty()) return std::nullopt;
  return std::filesystem::path(kTorchLibraries);
}

std::vector<std::string> ncclNames() {
  std::vector<std::string> names;
  if (const auto torch = torchFolder()) {
    const auto wheel = *torch / ".." / ".." / "nvidia" / "nccl" / "lib" / "libnccl.so.2";
    if (std::filesystem::exists(wheel)) names.push_back(wheel.lexically_normal().string());
  }
  if (!kNcclLibrary.empty()) names.emplace_back(kNcclLibrary);
  names.emplace_back("libnccl.so.2");
  return names;
}

std::vector<std::string> cudaRuntimeNames(const std::string& name) {
  std::vector<std::string> names;
  if (const auto loaded = folderOfLoaded(name)) names.push_back((*loaded / name).string());
  if (kCudaRuntime.ends_with("/" + name)) names.emplace_back(kCudaRuntime);
  names.push_back(name);
  return names;
}

}  // namespace shardlens
