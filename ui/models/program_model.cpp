#include "ui/models/program_model.h"

#include "core/model/step_number.h"
#include "core/query/language/query.h"
#include "core/trace/records/program_source.h"

#include <algorithm>

namespace shardlens {
namespace {

int refusedStepOf(const Journal& journal, const Snapshot& snapshot) {
  return snapshot.newestError == 0 ? -1 : journal.at(snapshot.newestError).step;
}

}  // namespace

// Uses the site of the event or of its nearest enclosing event that has one. If there is none,
// keeps the previous file. At position 0, or without a previous file, uses the started file if the
// recording contains it.
void ProgramModel::findSite(const Journal& journal, EventId position) {
  site_.line = 0;
  if (!journal.meta("scenario").empty() || journal.size() == 0) {
    site_ = {};
    return;
  }
  for (EventId id = position; id != 0; id = journal.at(id).parent) {
    const StringId text = journal.at(id).site;
    SiteRecord site = text == 0 ? SiteRecord() : readSite(journal.text(text));
    if (!site.file.empty() && site.line > 0) {
      site_ = std::move(site);
      return;
    }
  }
  const std::string started(journal.meta("path"));
  if ((position == 0 || site_.file.empty()) && !journal.meta(sourceKey(started)).empty()) {
    site_.file = started;
  }
}

void ProgramModel::setUserSource(const std::optional<QString>& text) {
  if (text != userText_) {
    userText_ = text;
    build();
  }
}

void ProgramModel::setSnapshot(const Journal& journal, const Snapshot& snapshot,
                               view::Notation notation) {
  findSite(journal, snapshot.position);
  if (auto program = programOf(journal, notation); program != program_) {
    program_ = std::move(program);
    build();
  }
  const int refused = refusedStepOf(journal, snapshot);
  const int line = site_.file.empty() ? snapshot.line : site_.line;
  if (step_ == snapshot.step && line_ == line && refused_ == refused) {
    return;
  }
  step_ = snapshot.step;
  line_ = line;
  refused_ = refused;
  findCurrent();
  if (!lines_.empty()) {
    Q_EMIT dataChanged(index(0), index(rowCount() - 1));
  }
}

void ProgramModel::setBreakpoints(const BreakpointsModel& breakpoints) {
  breakpoints_ = &breakpoints;
  connect(&breakpoints, &BreakpointsModel::changed, this, [this] {
    if (!lines_.empty()) {
      Q_EMIT dataChanged(index(0), index(rowCount() - 1), {BreakpointRole});
    }
  });
}

void ProgramModel::setForm(Form form) {
  if (form != form_) {
    form_ = form;
    build();
  }
}

void ProgramModel::build() {
  beginResetModel();
  lines_ = form_ == Form::Readable ? program_->lines : std::vector<ProgramLine>();
  tokens_.clear();
  if (lines_.empty() && !program_->text.isEmpty()) {
    lines_ = sourceLines(program_->text);
    tokens_ = sourceTokens(lines_, SourceLanguage::Scenario);
  } else if (lines_.empty() && userText_) {
    lines_ = plainLines(*userText_);
    tokens_ = sourceTokens(lines_, SourceLanguage::Python);
  }
  steps_ = 0;
  longest_ = 0;
  for (const ProgramLine& line : lines_) {
    longest_ = std::max(longest_, static_cast<int>(line.text.size()));
    steps_ = std::max(steps_, line.lastStep + 1);
  }
  findCurrent();
  endResetModel();
}

// Without a scenario there are no steps, so the current row is the current line of the file.
void ProgramModel::findCurrent() {
  first_ = steps_ == 0 && line_ > 0 && line_ <= rowCount() ? line_ - 1 : -1;
  last_ = first_;
  for (int row = 0; row < rowCount(); ++row) {
    if (lines_[static_cast<std::size_t>(row)].has(step_)) {
      first_ = first_ < 0 ? row : first_;
      last_ = row;
    }
  }
}

ProgramModel::Fate ProgramModel::fate(const ProgramLine& line) const {
  if (refused_ < 0 || line.lastStep < refused_) {
    return Usual;
  }
  return line.has(refused_) ? Refused : NotRun;
}

int ProgramModel::stepOf(const QModelIndex& index) const {
  return index.isValid() ? lines_[static_cast<std::size_t>(index.row())].step : -1;
}

std::vector<SourceSpan> ProgramModel::tokensOf(const QModelIndex& index) const {
  return tokens_.empty() ? std::vector<SourceSpan>()
                         : tokens_[static_cast<std::size_t>(index.row())];
}

QString ProgramModel::queryOf(const QModelIndex& index) const {
  if (!index.isValid()) {
    return {};
  }
  const ProgramLine& line = lines_[static_cast<std::size_t>(index.row())];
  if (userText_) {
    return QStringLiteral("file:%1 line:%2")
        .arg(QString::fromStdString(writtenValue(site_.file)))
        .arg(line.number);
  }
  if (steps_ == 0) {
    return QStringLiteral("kind:step,operator line:%1").arg(line.number);
  }
  if (line.step < 0) {
    return {};
  }
  const QString first = QStringLiteral("kind:step step:%1").arg(stepNumber(line.step));
  return line.step == line.lastStep ? first
                                    : first + QStringLiteral("-%1").arg(stepNumber(line.lastStep));
}

ProgramModel::Breaks ProgramModel::breaks(const QModelIndex& index) const {
  if (breakpoints_ == nullptr || breakpoints_->isEmpty()) {
    return None;
  }
  const auto isOn = breakpoints_->stateOf(queryOf(index));
  return !isOn ? None : *isOn ? On : Off;
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
      return first_ <= index.row() && index.row() <= last_;
    case MarkRole:
      return first_ == index.row();
    case FateRole:
      return fate(line);
    case BreakpointRole:
      return breaks(index);
    case Qt::AccessibleTextRole:
      return breaks(index) == None ? line.text
             : breaks(index) == On ? tr("%1, breakpoint").arg(line.text)
                                   : tr("%1, breakpoint, off").arg(line.text);
    default:
      return {};
  }
}

}  // namespace shardlens
