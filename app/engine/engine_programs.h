#pragma once

#include "app/cli/engine_commands.h"

namespace shardlens::cli {

// Each function runs its command to the end, prints its answer to standard output and errors to
// standard error, and returns the exit code: kAllRan, kRefused or kUnusable (app/cli/output.h). If
// output could not be written, that is kUnusable. kRefused means: run(): a step was refused, a
// result differs from plain torch, or a process was lost; ops(): no operator matches; whatIf(): all
// placements are refused; doctor(): a backend other than NCCL is not ready. On several processes,
// the first one alone prints its answer, and all wait for each other at the end.
int run(const RunOptions& options);
int ops(const OpsOptions& options);
int whatIf(const WhatIfOptions& options);
int doctor(const DoctorOptions& options);

}  // namespace shardlens::cli
