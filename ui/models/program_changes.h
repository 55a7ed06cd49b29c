#pragma once

#include "core/edit/program_edit.h"
#include "core/model/placement.h"

#include <QObject>
#include <QUndoStack>
#include <string>

namespace shardlens {

// The scenario of what is open, as a person changes it: its text, which is always a scenario, what
// was done to it, and whether that was saved.
class ProgramChanges final : public QObject {
  Q_OBJECT

 public:
  explicit ProgramChanges(QObject* parent = nullptr);

  // Forgets what was done. A text that is no scenario is none.
  void setProgram(const std::string& text);
  bool hasProgram() const { return !program_.is_null(); }

  const std::string& text() const { return text_; }
  // Of the whole for a step of -1.
  std::vector<ProgramField> fields(int step) const;

  // What a step of it is called.
  std::string resultOf(int step) const;

  // What is wrong with what was typed, which then changes nothing; empty: nothing.
  QString set(const ProgramField& field, const QString& typed);

  // A tensor of it lies so then; the step that says so. Refuses what no step makes.
  Result<int> place(const QString& tensor, const Placements& placements);

  QUndoStack& history() { return history_; }
  const QUndoStack& history() const { return history_; }
  bool isUnsaved() const { return !history_.isClean(); }
  void setSaved() { history_.setClean(); }

 Q_SIGNALS:
  void changed();  // the text, or whether it is saved

 private:
  class Change;

  void setText(const std::string& text);

  QUndoStack history_;
  std::string text_;
  nlohmann::ordered_json program_;  // null: none
};

}  // namespace shardlens
