#include "ui/text/program.h"

#include "ui/text/format.h"

#include <string>

namespace shardlens {

std::shared_ptr<const Program> programOf(const Journal& journal) {
  thread_local std::string text;
  thread_local auto program = std::make_shared<const Program>();
  if (const auto now = journal.meta("scenario"); now != text) {
    text = now;
    Program read{wholeText(text), {}, {}};
    read.scenario = parsedScenario(read.text);
    read.lines = readableProgram(read.scenario);
    program = std::make_shared<const Program>(std::move(read));
  }
  return program;
}

}  // namespace shardlens
