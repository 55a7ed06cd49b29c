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

// The same object as long as the recording's text stays the same: a caller that keeps it sees by
// its address that another text has come. A text is parsed once.
std::shared_ptr<const Program> programOf(const Journal& journal);

}  // namespace shardlens
