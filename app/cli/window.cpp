#include "app/cli/window.h"

#include "app/cli/installed_files.h"
#include "app/cli/output.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace shardlens::cli {

int becomeWindow(std::vector<std::string> arguments) {
  const std::string window = programFile("shardlens-gui").string();
  if (window.empty()) {
    return unusable("the window, shardlens-gui, is not next to this program: it was not built");
  }
  arguments.insert(arguments.begin(), window);
  std::vector<char*> words;
  for (auto& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv(window.c_str(), words.data());
  return unusable("cannot start " + window + ": " + std::strerror(errno));
}

}  // namespace shardlens::cli
