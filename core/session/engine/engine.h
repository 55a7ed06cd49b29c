#pragma once

#include <filesystem>

namespace shardlens {

// The arguments of runEngine().
struct EngineOptions {
  std::filesystem::path socket;  // local socket on which the window listens
  std::filesystem::path record;  // file of the recording to write
  std::filesystem::path scenario;
  bool check = false;  // compare each result with a plain run
};

// Runs the engine process of the window: connects to it, runs the scenario up to the requested
// positions, and writes all events to the recording, which the window reads. Call it once, from
// main(). Returns the process's exit code:
// - 0 when the run has ended, also by a refused step;
// - 2, with a message on stderr, if it could not start or could not finish the recording.
//
// Does not return if, during the run, the window stops the engine or disconnects (exits with 0), or
// sends an unknown request (exits with 1). Of several scenarios in the file, runs the first.
int runEngine(const EngineOptions& options);

}  // namespace shardlens
