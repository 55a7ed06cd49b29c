#pragma once

#include "core/edit/program_fields.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;

namespace shardlens {

// A field of a program: its name, a line or a list to change it in, and beneath what is wrong with
// what was typed. Undo and redo are left to the window.
class ProgramFieldBox final : public QWidget {
  Q_OBJECT

 public:
  explicit ProgramFieldBox(const ProgramField& field);

  const ProgramField& field() const { return field_; }
  // The same field with another text, which is shown; where it was typed here it is shown already.
  void setField(const ProgramField& field);
  void adoptTyped(const ProgramField& field) { field_ = field; }
  void setMistake(const QString& mistake);
  QString mistake() const;

 Q_SIGNALS:
  void typed(const QString& text);

 private:
  void makeLine();
  void makeChoice();
  void makeList();

  ProgramField field_;
  QLineEdit* line_ = nullptr;    // of what is written
  QComboBox* choice_ = nullptr;  // of what is chosen, or also written
  QLabel* mistake_;
};

}  // namespace shardlens
