#pragma once

#include "app/cli/engine_commands.h"

namespace shardlens::cli {

// Each does its command, says on standard error what is wrong, and gives the exit code.
int run(const RunOptions& options);
int ops(const OpsOptions& options);
int whatIf(const WhatIfOptions& options);
int doctor(const DoctorOptions& options);

}  // namespace shardlens::cli
