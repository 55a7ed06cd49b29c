#pragma once

#include "ui/text/program_notation.h"

#include <QJsonObject>
#include <QString>
#include <optional>
#include <vector>

namespace shardlens {

// A displayed line of a program, with the range of steps that it belongs to. The range has several
// steps if a file has them on one line; both ends are -1 if the line belongs to no step.
struct ProgramLine {
  int number = 0;  // from 1
  int step = -1;
  int lastStep = -1;
  QString text;

  bool has(int target) const { return target >= 0 && step <= target && target <= lastStep; }
  bool operator==(const ProgramLine&) const = default;
};

// Replaces // and /* */ comments with spaces. All other characters keep their offsets.
QString withoutComments(QString text);

// Parses JSON with comments. Returns an empty object if the text is not a JSON object.
QJsonObject parsedScenario(const QString& text);

// Returns the scenario in assignment syntax, "y = embedding(w, x)", one line per step. Shortens
// long strings and arrays. Empty if the scenario has no steps. Placements with a shard order, and
// invalid ones, stay in DTensor's notation.
std::vector<ProgramLine> readableProgram(const QJsonObject& scenario,
                                         const ProgramNotation& notation = {});

// Returns the author's note on a step, or the scenario's general notes if `step` is negative. Empty
// if there is none or no such step. Truncates after 20,000 characters.
QString programNotes(const QJsonObject& scenario, int step);

// Returns the nearest step after or before `step` that has a note, or nullopt.
std::optional<int> stepWithNoteAfter(const QJsonObject& scenario, int step);
std::optional<int> stepWithNoteBefore(const QJsonObject& scenario, int step);

// Returns the lines of a scenario file, each with the steps that it contains a part of. Lines of
// invalid JSON have no steps, or wrong ones.
std::vector<ProgramLine> sourceLines(const QString& text);
// Returns the lines of any text, without steps. Expands tabs, truncates very long lines, and drops
// blank lines at the end.
std::vector<ProgramLine> plainLines(const QString& text);

}  // namespace shardlens
