#pragma once

#include <filesystem>

namespace shardlens {

struct EngineOptions {
  std::filesystem::path socket;  // where the window listens
  std::filesystem::path record;  // the recording to write
  std::filesystem::path scenario;
  bool check = false;  // each result is compared with that of plain tensors
};

// The engine process of the window: connects, runs the scenario as far as it is asked to, and
// writes everything to the recording, which is what the window reads. Gives the process's exit
// code: 0, or with a message on stderr 2 where it could not begin, and 1 where the window said what
// the protocol does not know.
int runEngine(const EngineOptions& options);

}  // namespace shardlens
