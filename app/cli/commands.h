#pragma once

#include "app/cli/command_line.h"

namespace shardlens::cli {

// Each does its command, says on standard error what is wrong, and gives the exit code.
int run(const RunOptions& options);
int replay(const ReplayOptions& options);
int show(const ShowOptions& options);
int info(const InfoOptions& options);
int query(const QueryOptions& options);
int problems(const ProblemsOptions& options);
int lint(const LintOptions& options);
int plan(const PlanOptions& options);
int ops(const OpsOptions& options);
int doctor(const DoctorOptions& options);
int serveRecordings(const ServeCommand& command);
int followRun(const FollowCommand& command);

}  // namespace shardlens::cli
