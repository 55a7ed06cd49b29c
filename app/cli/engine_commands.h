#pragma once

#include "app/cli/output.h"
#include "core/model/modes.h"
#include "core/session/engine/engine.h"
#include "core/trace/journal/capture.h"
#include "core/trace/journal/event_sink.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace shardlens::cli {

struct RunOptions {
  std::vector<std::filesystem::path> files;
  // A file; a folder of them where the ranks are spread over processes.
  std::optional<std::filesystem::path> record;
  Capture values = CaptureLevel::All;  // that are recorded
  std::string backend;                 // what there is, where it is left out
  bool dry = false;                    // no data and nobody at the other end
  std::optional<std::filesystem::path> topology;
  Caches caches = Caches::On;
  UnknownOperators unknown = UnknownOperators::Refused;
  bool check = false;  // each result beside that of plain tensors
  Output output = Output::Words;
  std::vector<EventSink*> sinks{};  // who else is told what happens
};

struct OpsOptions {
  std::string name;  // a part of it; all where it is empty
  Output output = Output::Words;
};

struct WhatIfOptions {
  std::filesystem::path file;  // a scenario
  std::string tensor;          // the result of one of its steps
  std::optional<std::filesystem::path> topology;
  bool tellsProgress = false;  // also where nobody sits at standard error
  Output output = Output::Words;
};

struct DoctorOptions {
  Output output = Output::Words;
};

// What does the commands that run an engine, and so need torch.
struct EngineCommands {
  std::function<int(const RunOptions&)> run;
  std::function<int(const OpsOptions&)> ops;
  std::function<int(const WhatIfOptions&)> whatIf;
  std::function<int(const DoctorOptions&)> doctor;
  std::function<int(const EngineOptions&)> serve;  // the window's child process
};

}  // namespace shardlens::cli
