#pragma once

#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"
#include "ui/text/program_text.h"

#include <QJsonObject>
#include <memory>

namespace shardlens {

// The scenario of a recording.
struct Program {
  QString text;                    // of the scenario file; empty if there is none
  QJsonObject scenario;            // empty if the text is not a scenario
  std::vector<ProgramLine> lines;  // readableProgram(scenario), in a notation
};

// Returns the parsed program of the recording; never null. Without a scenario, its text and lines
// are empty. Each thread caches the last one of each notation, so equal texts in a row give the
// same object. A caller that keeps the pointer detects a new text by its address. In the notation
// PartitionSpec, the lines also depend on the tensors recorded so far, whose dimensions they use.
std::shared_ptr<const Program> programOf(const Journal& journal,
                                         view::Notation notation = view::Notation::DTensor);

}  // namespace shardlens
