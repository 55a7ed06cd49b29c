#include "ui/models/program_changes.h"

#include "core/edit/placement_choices.h"
#include "ui/text/format.h"

#include <QUndoCommand>
#include <optional>
#include <utility>

namespace shardlens {
// An undo step. Consecutive changes of one field are merged; placements are not.
class ProgramChanges::Change final : public QUndoCommand {
 public:
  Change(ProgramChanges& changes, std::optional<ProgramField> field, std::string after,
         const QString& title)
      : QUndoCommand(title),
        changes_(changes),
        field_(std::move(field)),
        before_(changes.text_),
        after_(std::move(after)) {}

  void undo() override { changes_.setText(before_); }
  void redo() override { changes_.setText(after_); }
  int id() const override { return field_ ? 1 : -1; }
  bool mergeWith(const QUndoCommand* later) override {
    const auto& next = *static_cast<const Change*>(later);
    if (!next.field_->isAt(*field_)) {
      return false;
    }
    after_ = next.after_;
    setObsolete(after_ == before_);
    return true;
  }

 private:
  ProgramChanges& changes_;
  std::optional<ProgramField> field_;
  std::string before_;
  std::string after_;
};

ProgramChanges::ProgramChanges(QObject* parent) : QObject(parent) {
  connect(&history_, &QUndoStack::indexChanged, this, &ProgramChanges::changed);
  connect(&history_, &QUndoStack::cleanChanged, this, &ProgramChanges::changed);
}

void ProgramChanges::setProgram(const std::string& text) {
  text_.clear();
  program_ = nullptr;
  history_.clear();
  setText(text);
  Q_EMIT changed();
}

void ProgramChanges::setText(const std::string& text) {
  if (auto program = readProgram(text)) {
    text_ = text;
    program_ = std::move(*program);
  }
}

std::vector<ProgramField> ProgramChanges::fields(int step) const {
  if (!hasProgram() || step >= static_cast<int>(program_["steps"].size())) {
    return {};
  }
  return step < 0 ? wholeFields(program_) : stepFields(program_, step);
}

std::string ProgramChanges::resultOf(int step) const {
  const auto place = static_cast<std::size_t>(step);
  return place < program_["steps"].size() ? stepName(program_["steps"][place], place) : "";
}

QString ProgramChanges::set(const ProgramField& field, const QString& typed) {
  auto text = withField(text_, field, typed.trimmed().toStdString());
  if (!text) {
    return toQString(text.error().message);
  }
  if (*text != text_) {
    history_.push(new Change(*this, field, std::move(*text), toQString(field.label)));
  }
  return {};
}

Result<int> ProgramChanges::place(const QString& tensor, const Placements& placements) {
  auto placed = withPlacements(text_, tensor.toStdString(), placements);
  if (!placed) {
    return tl::unexpected(placed.error());
  }
  if (placed->text != text_) {
    history_.push(new Change(*this, std::nullopt, std::move(placed->text),
                             tr("placement of %1").arg(tensor)));
  }
  return placed->step;
}

}  // namespace shardlens
