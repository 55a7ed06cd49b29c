#pragma once

#include "app/cli/engine_commands.h"

namespace shardlens::cli {

// Each function runs its command, prints errors to standard error and returns the exit code.
int run(const RunOptions& options);
int ops(const OpsOptions& options);
int whatIf(const WhatIfOptions& options);
int doctor(const DoctorOptions& options);

}  // namespace shardlens::cli
