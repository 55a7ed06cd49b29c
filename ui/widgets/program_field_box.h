#pragma once

#include "core/edit/program_fields.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;

namespace shardlens {

// An editor of one field of a program: its label, a line edit or a combo box, and below it an error
// message. Undo and redo are the window's.
class ProgramFieldBox final : public QWidget {
  Q_OBJECT

 public:
  explicit ProgramFieldBox(const ProgramField& field);

  const ProgramField& field() const { return field_; }
  // Shows another text of the same field and clears the mistake. Does not emit typed().
  void setField(const ProgramField& field);
  // Takes over a text that was typed here, without changing the display.
  void adoptTyped(const ProgramField& field) { field_ = field; }
  void setMistake(const QString& mistake);  // empty: hides the message
  QString mistake() const;

 Q_SIGNALS:
  void typed(const QString& text);  // the user edited or chose this text; at each keystroke

 private:
  void makeLine();
  void makeChoice();
  void makeList();

  ProgramField field_;
  QLineEdit* line_ = nullptr;    // null for a fixed list
  QComboBox* choice_ = nullptr;  // null if the field has no choices
  QLabel* mistake_;
};

}  // namespace shardlens
