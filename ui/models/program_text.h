#pragma once

#include <QString>
#include <vector>

namespace shardlens {

// One line of a program as it is shown: the step it belongs to (-1: none) and its number.
struct ProgramLine {
  int number = 0;
  int step = -1;
  QString text;
};

// A scenario the way one would write it: "y = embedding(w, x)", a line a step. Empty when the text
// is no scenario.
std::vector<ProgramLine> readableProgram(const QString& scenario);

// JSON as scenarios have it, with the comments blanked out.
QString withoutComments(QString text);

// What the scenario's author says at a step; before the first, of the whole.
QString programNotes(const QString& scenario, int step);

// The text itself, a line a line.
std::vector<ProgramLine> sourceLines(const QString& text);

}  // namespace shardlens
