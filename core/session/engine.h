#pragma once

#include <filesystem>

namespace shardlens {

struct EngineOptions {
  std::filesystem::path socket;  // where the window listens
  std::filesystem::path record;  // the recording to write
  std::filesystem::path scenario;
};

// The engine process of the window: connects, runs the scenario as far as it is asked to, and
// writes everything to the recording, which is what the window reads. Gives the process's exit
// code: 0, or 2 with a message on stderr where it could not begin.
int runEngine(const EngineOptions& options);

}  // namespace shardlens
