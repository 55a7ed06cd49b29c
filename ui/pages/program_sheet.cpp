#include "ui/pages/program_sheet.h"

#include "ui/pages/program_preview.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/text/program_text.h"
#include "ui/widgets/program_field_box.h"
#include "ui/widgets/reveal.h"
#include "ui/widgets/window_notation.h"

#include <QAction>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QScrollArea>
#include <QStringListModel>
#include <QVBoxLayout>
#include <algorithm>

namespace shardlens {
namespace {

constexpr QSize kProgramSheetSize{880, 660};
constexpr int kParts = 300;

// Returns a button that triggers the command and is enabled when the command is.
QPushButton* buttonOf(QAction* command) {
  auto* button = new QPushButton(QString(command->text()).remove(u'&'));
  button->setObjectName(command->objectName() + QStringLiteral("Button"));
  button->setAccessibleName(command->toolTip());
  button->setToolTip(command->toolTip());
  button->setAutoDefault(false);
  const auto follow = [button, command] { button->setEnabled(command->isEnabled()); };
  QObject::connect(command, &QAction::changed, button, follow);
  QObject::connect(button, &QPushButton::clicked, command, &QAction::trigger);
  follow();
  return button;
}

}  // namespace

ProgramSheet::ProgramSheet(ProgramChanges& changes, const QList<QAction*>& commands,
                           QWidget* window)
    : Sheet(QStringLiteral("programSheet"), tr("Edit program"), window),
      changes_(changes),
      parts_(new QListView),
      partNames_(new QStringListModel(this)),
      title_(new QLabel),
      form_(new QScrollArea),
      preview_(new ProgramPreview) {
  setAccessibleName(tr("Edit program"));
  parts_->setObjectName(QStringLiteral("programParts"));
  parts_->setAccessibleName(tr("The whole program and its steps"));
  parts_->setModel(partNames_);
  parts_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  parts_->setUniformItemSizes(true);
  parts_->setProperty("offers", true);
  atEachZoom(parts_, [parts = parts_] {
    parts->setFont(zoomed(codeFont(12)));
    parts->setFixedWidth(zoomed(kParts));
  });
  title_->setObjectName(QStringLiteral("programPart"));
  title_->setTextFormat(Qt::PlainText);
  atEachZoom(title_, [title = title_] { title->setFont(zoomed(textFont(12, Weight::Bold))); });
  form_->setWidgetResizable(true);
  form_->setFrameShape(QFrame::NoFrame);
  form_->setAccessibleName(tr("Fields of the selected part"));
  form_->setFocusPolicy(Qt::NoFocus);
  auto* right = new QVBoxLayout;
  right->setSpacing(8);
  right->addWidget(title_);
  right->addWidget(form_, 1);
  auto* top = new QHBoxLayout;
  top->setSpacing(14);
  top->addWidget(parts_);
  top->addLayout(right, 1);
  auto* foot = new QHBoxLayout;
  foot->setSpacing(8);
  for (QAction* command : commands) {
    QPushButton* button = buttonOf(command);
    if (command == commands.back()) {
      button->setProperty("primary", true);
      foot->addStretch(1);
    }
    foot->addWidget(button);
  }
  content().setContentsMargins(18, 14, 18, 14);
  content().setSpacing(10);
  content().addLayout(top, 1);
  content().addWidget(preview_);
  atEachZoom(preview_, [preview = preview_] { preview->setMaximumHeight(zoomed(230)); });
  content().addLayout(foot);
  setUsualSize(kProgramSheetSize);
  connect(parts_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &ProgramSheet::showFields);
  connect(&changes_, &ProgramChanges::changed, this, &ProgramSheet::showProgram);
}

void ProgramSheet::setRan(const std::string& ran, const QString& name) {
  ran_ = ran;
  name_ = name;
  preview_->setPrograms(ran_, changes_.text(), name_);
}

void ProgramSheet::open(int step) {
  if (!isVisible()) {
    toggle();
  }
  activateWindow();
  showProgram();
  parts_->setCurrentIndex(partNames_->index(step + 1));
  reveal(*parts_, parts_->currentIndex());
  if (!boxes_.empty()) {
    boxes_.front()->setFocus();
  }
}

void ProgramSheet::showNotation() {
  if (changes_.hasProgram()) {
    showProgram();
  }
}

int ProgramSheet::step() const { return std::max(0, parts_->currentIndex().row()) - 1; }

void ProgramSheet::showProgram() {
  QStringList names{tr("Whole program")};
  const QString text = QString::fromStdString(changes_.text());
  for (const ProgramLine& line : readableProgram(parsedScenario(text), {notationOf(*this)})) {
    names << QStringLiteral("%1  %2").arg(line.number).arg(line.text);
  }
  if (const QStringList before = partNames_->stringList(); before.size() == names.size()) {
    for (int row = 0; row < names.size(); ++row) {
      if (before[row] != names[row]) {
        partNames_->setData(partNames_->index(row), names[row]);
      }
    }
  } else {
    partNames_->setStringList(names);
    shownStep_ = -2;
    parts_->setCurrentIndex(partNames_->index(0));
  }
  showFields();
  preview_->setPrograms(ran_, changes_.text(), name_);
}

void ProgramSheet::showFields() {
  title_->setText(step() < 0 ? tr("Whole program") : parts_->currentIndex().data().toString());
  const auto fields = changes_.fields(step());
  const bool isSame =
      shownStep_ == step() && std::equal(fields.begin(), fields.end(), boxes_.begin(), boxes_.end(),
                                         [](const ProgramField& field, const ProgramFieldBox* box) {
                                           return field.isAt(box->field()) &&
                                                  field.label == box->field().label &&
                                                  field.choices == box->field().choices;
                                         });
  if (!isSame) {
    makeFields(fields);
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (boxes_[i] == typedIn_) {
      boxes_[i]->adoptTyped(fields[i]);
    } else if (boxes_[i]->field() != fields[i]) {
      boxes_[i]->setField(fields[i]);
    }
  }
  shownStep_ = step();
  Q_EMIT mistakesChanged();
}

// Restores the keyboard focus to the field that had it, if it still exists.
void ProgramSheet::makeFields(const std::vector<ProgramField>& fields) {
  const auto at = std::find_if(boxes_.begin(), boxes_.end(), [](const ProgramFieldBox* box) {
    return box->focusProxy()->hasFocus();
  });
  const bool hadFocus = at != boxes_.end();
  const ProgramField focused = hadFocus ? (*at)->field() : ProgramField();
  boxes_.clear();
  typedIn_ = nullptr;
  if (QWidget* before = form_->takeWidget()) {
    before->hide();
    before->deleteLater();  // one of its boxes may be the sender
  }
  auto* all = new QWidget;
  auto* column = new QVBoxLayout(all);
  column->setContentsMargins(0, 0, 8, 0);
  column->setSpacing(6);
  for (const ProgramField& field : fields) {
    auto* box = new ProgramFieldBox(field);
    connect(box, &ProgramFieldBox::typed, this,
            [this, box](const QString& text) { take(box, text); });
    column->addWidget(box);
    boxes_.push_back(box);
  }
  column->addStretch(1);
  form_->setWidget(all);
  for (ProgramFieldBox* box : boxes_) {
    if (hadFocus && box->field().isAt(focused)) {
      box->setFocus();
    }
  }
}

void ProgramSheet::take(ProgramFieldBox* box, const QString& text) {
  typedIn_ = box;
  const QString mistake = changes_.set(box->field(), text);
  if (typedIn_ != nullptr) {
    box->setMistake(mistake);
  }
  typedIn_ = nullptr;
  Q_EMIT mistakesChanged();
}

bool ProgramSheet::hasMistake() const {
  return std::any_of(boxes_.begin(), boxes_.end(),
                     [](const ProgramFieldBox* box) { return !box->mistake().isEmpty(); });
}

// Keeps unmodified keys from the shortcuts of the window: letters, arrows and Space edit here.
bool ProgramSheet::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool isPlain = (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
    const bool isFunction = key->key() >= Qt::Key_F1 && key->key() <= Qt::Key_F35;
    if (isPlain && !isFunction && key->key() != Qt::Key_Escape) {
      event->accept();
      return true;
    }
  }
  return Sheet::event(event);
}

}  // namespace shardlens
