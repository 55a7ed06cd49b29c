#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/records/site_record.h"
#include "core/trace/snapshot/snapshot.h"
#include "ui/models/breakpoints_model.h"
#include "ui/text/program.h"

#include <QAbstractListModel>
#include <optional>

namespace shardlens {

// The program of a recording, a row a line, with those of the current step marked. It reads as one
// would write it, or as the file has it.
class ProgramModel final : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { NumberRole = Qt::UserRole, CurrentRole, FateRole, BreakpointRole };
  // Of a run that was refused: the line that was, and those that were not run therefore.
  enum Fate { Usual, Refused, NotRun };
  enum class Form { Readable, Source };
  enum Breaks { None, On, Off };  // the BreakpointRole

  using QAbstractListModel::QAbstractListModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  // Whose breakpoints stand beside the lines; they outlive it.
  void setBreakpoints(const BreakpointsModel& breakpoints);
  void setForm(Form form);
  // Where in the user's own source the position is, in a recording of no scenario; its file is
  // empty where the recording does not say. The text of that file, which is in the recording or
  // was found, is what is shown.
  const SiteRecord& site() const { return site_; }
  void setUserSource(const std::optional<QString>& text);
  bool hasUserSource() const { return userText_.has_value(); }
  // Its lines are a file's, as wide as they are.
  bool isSource() const { return form_ == Form::Source || steps_ == 0; }
  // Of the current step's lines; -1 is none.
  int currentRow() const { return first_; }
  int lastCurrentRow() const { return last_; }
  int line() const { return line_; }  // of the file, from 1; 0 is none
  int stepOf(const QModelIndex& index) const;  // of the scenario; -1 is none
  // What stops where the line begins; empty where nothing can.
  QString queryOf(const QModelIndex& index) const;
  int steps() const { return steps_; }
  int longest() const { return longest_; }      // line, in characters
  int refusedStep() const { return refused_; }  // -1 is none

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  void build();
  void findCurrent();
  void findSite(const Journal& journal, EventId position);
  Fate fate(const ProgramLine& line) const;
  Breaks breaks(const QModelIndex& index) const;

  std::shared_ptr<const Program> program_ = std::make_shared<const Program>();
  const BreakpointsModel* breakpoints_ = nullptr;
  Form form_ = Form::Readable;
  SiteRecord site_;
  std::optional<QString> userText_;
  std::vector<ProgramLine> lines_;
  int steps_ = 0;
  int longest_ = 0;
  int first_ = -1;
  int last_ = -1;
  int refused_ = -1;
  int step_ = -1;
  int line_ = 0;
};

}  // namespace shardlens
