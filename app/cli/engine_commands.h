#pragma once

#include "app/cli/output.h"
#include "core/model/modes.h"
#include "core/session/engine/engine.h"
#include "core/trace/events/capture.h"
#include "core/trace/events/event_sink.h"
#include "core/view/words/placement_words.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shardlens::cli {

struct RunOptions {
  std::vector<std::filesystem::path> files;
  // The recording file; with several processes, the folder of their recordings.
  std::optional<std::filesystem::path> record;
  Capture values = CaptureLevel::All;  // which shard values are recorded
  std::string backend;                 // chosen automatically if empty
  bool dry = false;                    // without data and without peers
  std::optional<std::filesystem::path> topology;
  Caches caches = Caches::On;
  UnknownOperators unknown = UnknownOperators::Refused;
  bool check = false;  // compare each result with that of plain tensors
  view::Notation notation = view::Notation::DTensor;
  Output output = Output::Words;
  std::vector<EventSink*> sinks{};  // further sinks that receive the events
};

struct OpsOptions {
  std::string name;  // part of the operator's name; empty lists all
  Output output = Output::Words;
};

struct WhatIfOptions {
  std::filesystem::path file;  // the scenario
  std::string tensor;          // a result of one of its steps
  std::optional<std::filesystem::path> topology;
  // Print one line per placement to standard error, also without a terminal.
  bool printsProgress = false;
  view::Notation notation = view::Notation::DTensor;
  Output output = Output::Words;
};

struct DoctorOptions {
  Output output = Output::Words;
};

struct ParquetOptions {
  std::vector<std::filesystem::path> files;  // recordings or folders of one run
  std::vector<RankRange> steps;              // indexes; empty: all
  std::filesystem::path to;                  // the folder to write
  Output output = Output::Words;
};

// The commands that need a library which the command line does not load: torch, or Arrow for
// Parquet. Each returns the exit code.
struct EngineCommands {
  std::function<int(const RunOptions&)> run = {};
  std::function<int(const OpsOptions&)> ops = {};
  std::function<int(const WhatIfOptions&)> whatIf = {};
  std::function<int(const DoctorOptions&)> doctor = {};
  std::function<int(const EngineOptions&)> serve = {};  // the child process of the window
  std::function<int(const ParquetOptions&)> parquet = {};
};

// The main() of both programs: runs the command and returns the exit code. An exception that
// escapes a command is reported as a bug, with exit code kRefused.
int runProgram(int argc, char** argv, const EngineCommands& engine);

}  // namespace shardlens::cli
