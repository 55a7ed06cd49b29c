#pragma once

#include "core/model/event.h"

#include <filesystem>
#include <optional>
#include <string>

namespace shardlens::cli {

// What the window shows of a recording at a position (none: the first problem, else the end), or
// one of its panels alone.
struct WindowPicture {
  std::filesystem::path recording;
  std::filesystem::path to;  // .png or .svg
  std::string panel;         // empty: all of the window
  std::optional<EventId> position;
};

// Becomes shardlens-gui, which stands beside this program and needs no display for that. Gives the
// exit code where it cannot be started.
int becomePicture(const WindowPicture& picture);

}  // namespace shardlens::cli
