#include "app/cli/window_picture.h"

#include "app/cli/installed_files.h"
#include "app/cli/output.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <vector>

namespace shardlens::cli {

int becomePicture(const WindowPicture& picture) {
  const std::string program = programFile("shardlens-gui").string();
  if (program.empty()) return unusable("a picture needs shardlens-gui beside this program");
  std::vector<std::string> words = {program, picture.recording.string(),
                                    "--screenshot=" + picture.to.string()};
  if (!picture.panel.empty()) words.push_back("--panel=" + picture.panel);
  if (picture.position) words.push_back("--step=" + std::to_string(*picture.position));
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(program.c_str(), arguments.data());
  return unusable("cannot start " + program + ": " + std::strerror(errno));
}

}  // namespace shardlens::cli
