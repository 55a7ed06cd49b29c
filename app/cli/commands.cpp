#include "app/cli/commands.h"

#include "app/cli/terminal_filter.h"

#include <exception>
#include <string>

namespace shardlens::cli {

int runProgram(int argc, char** argv, const EngineCommands& engine) {
  const FilteredTerminal filtered;
  try {
    CommandLine line;
    addRun(line, engine.run);
    addVerify(line);
    addReplay(line);
    addShow(line);
    addInfo(line);
    addQuery(line);
    addProblems(line);
    addLint(line);
    addDiff(line);
    addHistory(line);
    addTrim(line);
    addMerge(line);
    addExport(line, engine.parquet);
    addPlacements(line);
    addPlan(line);
    addWhatIf(line, engine.whatIf);
    addOps(line, engine.ops);
    addDoctor(line, engine.doctor);
    addOpen(line);
    addGallery(line);
    addHandbook(line);
    addServe(line);
    addFollow(line);
    addImport(line);
    addCheckpoint(line);
    addCompletion(line);
    addManual(line);
    addEngine(line, engine.serve);
    return line.run(argc, argv);
  } catch (const std::exception& bug) {
    (void)unusable(std::string("a bug of Shardlens, please report it: ") + bug.what());
    return kRefused;
  }
}

}  // namespace shardlens::cli
