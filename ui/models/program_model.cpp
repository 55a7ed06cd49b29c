#include "ui/models/program_model.h"

#include "ui/models/format.h"

namespace shardlens {

void ProgramModel::setSnapshot(const Journal& journal, const Snapshot& snapshot) {
  const QString source = wholeText(journal.meta("scenario"));
  if (source != source_) {
    source_ = source;
    build();
  }
  const int before = currentRow();
  step_ = snapshot.step;
  line_ = snapshot.line;
  if (before != currentRow() && !lines_.empty()) {
    Q_EMIT dataChanged(index(0), index(rowCount() - 1));
  }
}

void ProgramModel::setForm(Form form) {
  if (form != form_) {
    form_ = form;
    build();
  }
}

void ProgramModel::build() {
  beginResetModel();
  lines_ = form_ == Form::Readable ? readableProgram(source_) : std::vector<ProgramLine>();
  readable_ = !lines_.empty();
  if (!readable_ && !source_.isEmpty()) {
    lines_ = sourceLines(source_);
  }
  endResetModel();
}

int ProgramModel::currentRow() const {
  const int row = readable_ ? step_ : line_ - 1;
  return row >= 0 && row < rowCount() ? row : -1;
}

int ProgramModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(lines_.size());
}

QVariant ProgramModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) {
    return {};
  }
  const ProgramLine& line = lines_[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
      return line.text;
    case NumberRole:
      return line.number;
    case CurrentRole:
      return index.row() == currentRow();
    case DoneRole:
      return index.row() < currentRow();
    default:
      return {};
  }
}

}  // namespace shardlens
