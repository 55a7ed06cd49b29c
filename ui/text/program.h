#pragma once

#include "core/trace/journal/journal.h"
#include "ui/text/program_text.h"

#include <QJsonObject>
#include <memory>

namespace shardlens {

// The scenario of a recording.
struct Program {
  QString text;
  QJsonObject scenario;            // empty where the text is none
  std::vector<ProgramLine> lines;  // as one would write it, a line a step
};

// The same object as long as the text stays the same, which may come late: whoever keeps it sees by
// its address that there is another. A text is read once, however many ask.
std::shared_ptr<const Program> programOf(const Journal& journal);

}  // namespace shardlens
