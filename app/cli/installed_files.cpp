#include "app/cli/installed_files.h"

#include <algorithm>
#include <initializer_list>
#include <system_error>

namespace shardlens::cli {
namespace {

// Returns the first of these paths that exists, relative to the folder of this program, else an
// empty path.
std::filesystem::path firstOf(std::initializer_list<const char*> places) {
  std::error_code failed;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
  for (const char* place : places) {
    // Keeps symbolic links: a virtual environment's Python depends on its path.
    auto path = (here / place).lexically_normal();
    if (std::filesystem::exists(path, failed)) return path;
  }
  return {};
}

}  // namespace

std::filesystem::path programFile(const std::string& name) { return firstOf({name.c_str()}); }

std::filesystem::path galleryFolder() {
  return firstOf({"../share/shardlens/gallery", "../../resources/gallery"});
}

std::vector<std::filesystem::path> galleryEntries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_directory() || entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::filesystem::path handbookRoot() {
  const auto folder =
      firstOf({"../share/shardlens/handbook/resources/handbook", "../../resources/handbook"});
  return folder.empty() ? folder : folder.parent_path().parent_path();
}

std::filesystem::path verifyScript() {
  return firstOf({"../share/shardlens/verify.py", "../../app/verify/verify.py"});
}

std::filesystem::path scenarioDocument() {
  return firstOf({"../share/doc/shardlens/SCENARIO.md", "../../core/session/scenario/SCENARIO.md"});
}

std::filesystem::path recordingDocument() {
  return firstOf({"../share/doc/shardlens/FORMAT.md", "../../core/trace/file/FORMAT.md"});
}

}  // namespace shardlens::cli
