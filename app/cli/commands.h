#pragma once

#include "app/cli/command_line.h"
#include "app/cli/engine_commands.h"

namespace shardlens::cli {

// Each function adds one command. The file of the same name contains its options, help and action.
void addRun(CommandLine& line, std::function<int(const RunOptions&)> run);
void addReplay(CommandLine& line);
void addShow(CommandLine& line);
void addInfo(CommandLine& line);
void addQuery(CommandLine& line);
void addProblems(CommandLine& line);
void addLint(CommandLine& line);
void addDiff(CommandLine& line);
void addHistory(CommandLine& line);
void addTrim(CommandLine& line);
void addMerge(CommandLine& line);
void addVerify(CommandLine& line);
void addExport(CommandLine& line, std::function<int(const ParquetOptions&)> parquet);
void addPlacements(CommandLine& line);
void addPlan(CommandLine& line);
void addOpen(CommandLine& line);
void addGallery(CommandLine& line);
void addHandbook(CommandLine& line);
void addCompletion(CommandLine& line);
void addManual(CommandLine& line);
void addOps(CommandLine& line, std::function<int(const OpsOptions&)> ops);
void addWhatIf(CommandLine& line, std::function<int(const WhatIfOptions&)> whatIf);
void addDoctor(CommandLine& line, std::function<int(const DoctorOptions&)> doctor);
void addServe(CommandLine& line);
void addFollow(CommandLine& line);
void addImport(CommandLine& line);
void addCheckpoint(CommandLine& line);
void addEngine(CommandLine& line, std::function<int(const EngineOptions&)> engine);

}  // namespace shardlens::cli
