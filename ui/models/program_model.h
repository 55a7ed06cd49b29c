#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/records/site_record.h"
#include "core/trace/snapshot/snapshot.h"
#include "ui/models/breakpoints_model.h"
#include "ui/text/program.h"
#include "ui/text/source_tokens.h"

#include <QAbstractListModel>
#include <optional>

namespace shardlens {

// The program of a recording as a list, one row per line, with the lines of the current step
// marked. Form::Readable shows a generated listing of the scenario, Form::Source its file.
class ProgramModel final : public QAbstractListModel {
  Q_OBJECT

 public:
  // MarkRole is true for the first line of the current step, CurrentRole for all its lines.
  enum Role { NumberRole = Qt::UserRole, CurrentRole, MarkRole, FateRole, BreakpointRole };
  // After an error in a step: the line of that step, and the lines after it, which did not run.
  enum Fate { Usual, Refused, NotRun };
  enum class Form { Readable, Source };
  enum Breaks { None, On, Off };  // values of BreakpointRole

  using QAbstractListModel::QAbstractListModel;

  // Shows the program of the journal and marks the step or line of the snapshot's position. Retains
  // neither argument. Does not change the text of setUserSource(). `notation` applies to the
  // readable form.
  void setSnapshot(const Journal& journal, const Snapshot& snapshot,
                   view::Notation notation = view::Notation::DTensor);
  // Shows these breakpoints beside the lines. They must outlive this model. Call at most once.
  void setBreakpoints(const BreakpointsModel& breakpoints);
  void setForm(Form form);
  // The location of the position in the user's own source, if the recording has no scenario.
  // site().file is empty if the recording does not state it. If the position has no site, the file
  // stays the previous one and the line is 0.
  const SiteRecord& site() const { return site_; }
  // Sets the text of site().file, which is shown in place of a scenario; nullopt: not available.
  void setUserSource(const std::optional<QString>& text);
  bool hasUserSource() const { return userText_.has_value(); }
  // True if the rows are lines of a file, which are scrolled sideways and not elided.
  bool isSource() const { return form_ == Form::Source || steps_ == 0; }
  // First row of the current step; -1: none.
  int currentRow() const { return first_; }
  // Last row of the current step; -1: none.
  int lastCurrentRow() const { return last_; }
  int line() const { return line_; }           // line of the file, from 1; 0: none
  int stepOf(const QModelIndex& index) const;  // step of the scenario; -1: none
  // Returns the breakpoint query for the beginning of the line; empty if no breakpoint is possible.
  QString queryOf(const QModelIndex& index) const;
  // The number of steps of the scenario; 0: the rows are lines of another file.
  int steps() const { return steps_; }
  // The tokens to colour in the line of a file; empty in the readable form.
  std::vector<SourceSpan> tokensOf(const QModelIndex& index) const;
  int longest() const { return longest_; }      // length of the longest line, in characters
  int refusedStep() const { return refused_; }  // step of the newest error; -1: none

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
  std::vector<std::vector<SourceSpan>> tokens_;  // of lines of a file; empty in the readable form
  int steps_ = 0;
  int longest_ = 0;
  int first_ = -1;
  int last_ = -1;
  int refused_ = -1;
  int step_ = -1;
  int line_ = 0;
};

}  // namespace shardlens
