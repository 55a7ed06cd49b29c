#include "ui/widgets/program_field_box.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/format.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace shardlens {
namespace {

// A line edit that leaves Undo and Redo to the window, because its own undo ignores other fields.
class FieldLine final : public QLineEdit {
 protected:
  bool event(QEvent* event) override {
    if (event->type() == QEvent::ShortcutOverride) {
      const auto* key = static_cast<QKeyEvent*>(event);
      if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
        event->ignore();
        return false;
      }
    }
    return QLineEdit::event(event);
  }
};

QString nameOf(const ProgramField& field) {
  return toQString(field.label).replace(u' ', u'-').replace(u'_', u'-');
}

}  // namespace

ProgramFieldBox::ProgramFieldBox(const ProgramField& field) : field_(field), mistake_(new QLabel) {
  constexpr int kLabel = 150;
  auto* label = new QLabel(toQString(field.label));
  atEachZoom(label, [label] { label->setFixedWidth(zoomed(kLabel)); });
  QWidget* control = nullptr;
  if (field.isOneOf) {
    makeList();
    control = choice_;
  } else if (!field.choices.empty()) {
    makeChoice();
    control = choice_;
  } else {
    makeLine();
    control = line_;
  }
  control->setObjectName(QStringLiteral("field-") + nameOf(field));
  control->setAccessibleName(toQString(field.label));
  label->setBuddy(control);
  mistake_->setObjectName(QStringLiteral("mistake-") + nameOf(field));
  mistake_->setForegroundRole(kBadRole);
  mistake_->setTextFormat(Qt::PlainText);
  mistake_->setWordWrap(true);
  mistake_->hide();
  setFocusProxy(control);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(label, 0, Qt::AlignTop);
  auto* column = new QVBoxLayout;
  column->setSpacing(2);
  column->addWidget(control);
  column->addWidget(mistake_);
  row->addLayout(column, 1);
  row->setContentsMargins(0, 0, 0, 0);
  setLayout(row);
  setField(field);
}

void ProgramFieldBox::makeLine() {
  line_ = new FieldLine;
  connect(line_, &QLineEdit::textEdited, this, &ProgramFieldBox::typed);
}

void ProgramFieldBox::makeChoice() {
  choice_ = new QComboBox;
  choice_->setEditable(true);
  choice_->setInsertPolicy(QComboBox::NoInsert);
  line_ = new FieldLine;
  choice_->setLineEdit(line_);
  choice_->setCompleter(nullptr);
  for (const auto& each : field_.choices) {
    choice_->addItem(toQString(each));
  }
  connect(line_, &QLineEdit::textEdited, this, &ProgramFieldBox::typed);
  connect(choice_, &QComboBox::textActivated, this, &ProgramFieldBox::typed);
}

// An omitted field has a separate item in the list.
void ProgramFieldBox::makeList() {
  choice_ = new QComboBox;
  if (!field_.usual.empty() || field_.text.empty()) {
    choice_->addItem(
        field_.usual.empty() ? tr("none") : tr("%1 (default)").arg(toQString(field_.usual)),
        QString());
  }
  for (const auto& each : field_.choices) {
    choice_->addItem(toQString(each), toQString(each));
  }
  connect(choice_, &QComboBox::activated, this,
          [this] { Q_EMIT typed(choice_->currentData().toString()); });
}

void ProgramFieldBox::setField(const ProgramField& field) {
  field_ = field;
  const QString text = toQString(field.text);
  if (choice_ != nullptr) {
    const QSignalBlocker quiet(*choice_);
    choice_->setCurrentIndex(field.isOneOf ? choice_->findData(text) : choice_->findText(text));
  }
  if (line_ != nullptr && line_->text() != text) {
    line_->setText(text);
    line_->setCursorPosition(0);
  }
  if (line_ != nullptr) {
    line_->setPlaceholderText(toQString(field.usual));
  }
  setMistake({});
}

void ProgramFieldBox::setMistake(const QString& mistake) {
  mistake_->setText(mistake);
  mistake_->setVisible(!mistake.isEmpty());
}

QString ProgramFieldBox::mistake() const { return mistake_->text(); }

}  // namespace shardlens
