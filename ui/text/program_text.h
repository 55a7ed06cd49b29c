#pragma once

#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

namespace shardlens {

// One line of a program as it is shown: its number, and the steps it belongs to (none: -1), which
// are several where a file has them on one line.
struct ProgramLine {
  int number = 0;
  int step = -1;
  int lastStep = -1;
  QString text;

  bool has(int wanted) const { return wanted >= 0 && step <= wanted && wanted <= lastStep; }
};

// JSON as scenarios have it, with the comments blanked out.
QString withoutComments(QString text);

// Empty when the text is no scenario.
QJsonObject parsedScenario(const QString& text);

// A scenario the way one would write it: "y = embedding(w, x)", a line a step.
std::vector<ProgramLine> readableProgram(const QJsonObject& scenario);

// What the scenario's author says at a step; before the first, of the whole.
QString programNotes(const QJsonObject& scenario, int step);

// The nearest step after this one, or before it, of which the author says something.
std::optional<int> stepWithNoteAfter(const QJsonObject& scenario, int step);
std::optional<int> stepWithNoteBefore(const QJsonObject& scenario, int step);

// The text itself, a line a line, each with the steps of the scenario that it has a part of.
std::vector<ProgramLine> sourceLines(const QString& text);
// The lines of a text that is no scenario.
std::vector<ProgramLine> plainLines(const QString& text);

}  // namespace shardlens
