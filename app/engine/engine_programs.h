#pragma once

#include "app/cli/engine_commands.h"

namespace shardlens::cli {

// Each function runs its command to the end, prints its answer to standard output and errors to
// standard error, and returns the exit code: kAllRan, kRefused or kUnusable (app/cli/output.h). If
// output could not be written, that is kUnusable.
int run(const RunOptions& options);
int ops(const OpsOptions& options);
int whatIf(const WhatIfOptions& options);
int doctor(const DoctorOptions& options);

}  // namespace shardlens::cli
