#include "app/engine/engine_programs.h"
#include "core/legacy/register_legacy.h"

int main(int argc, char** argv) {
  using namespace shardlens;  // NOLINT(google-build-using-namespace)
  registerLegacy();
  return cli::runProgram(argc, argv,
                         {.run = cli::run,
                          .ops = cli::ops,
                          .whatIf = cli::whatIf,
                          .doctor = cli::doctor,
                          .serve = runEngine});
}
