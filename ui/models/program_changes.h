#pragma once

#include "core/edit/program_edit.h"
#include "core/model/placement.h"

#include <QObject>
#include <QUndoStack>
#include <string>

namespace shardlens {

// The open scenario as the user edits it: its text, which is always a valid scenario, an undo
// history, and whether it was saved.
class ProgramChanges final : public QObject {
  Q_OBJECT

 public:
  explicit ProgramChanges(QObject* parent = nullptr);

  // Replaces the program, clears the history and emits changed(). If `text` is not a valid
  // scenario, there is no program afterwards and text() is empty.
  void setProgram(const std::string& text);
  bool hasProgram() const { return !program_.is_null(); }

  const std::string& text() const { return text_; }
  // Returns the fields of a step; those of the whole program for -1. Empty if there is no such
  // step.
  std::vector<ProgramField> fields(int step) const;

  // Returns the name of the step's result; "" if there is no such step. Requires hasProgram().
  std::string resultOf(int step) const;

  // Sets a field to the trimmed text as one undo step. Consecutive changes of the same field share
  // an undo step; a change to the same value makes none. Returns an error message and changes
  // nothing if the text is invalid; returns an empty string on success.
  QString set(const ProgramField& field, const QString& typed);

  // Gives the tensor these placements as one undo step. Returns the step that makes the tensor,
  // even if it has these placements already. Returns an error and changes nothing if there is none.
  Result<int> place(const QString& tensor, const Placements& placements);

  QUndoStack& history() { return history_; }
  const QUndoStack& history() const { return history_; }
  bool isUnsaved() const { return !history_.isClean(); }
  void setSaved() { history_.setClean(); }

 Q_SIGNALS:
  void changed();  // the text, or whether it is saved, changed

 private:
  class Change;

  void setText(const std::string& text);

  QUndoStack history_;
  std::string text_;
  nlohmann::ordered_json program_;  // null: no program
};

}  // namespace shardlens
