#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "ui/widgets/row_actions.h"

#include <QWidget>
#include <vector>

class QHBoxLayout;
class QMenu;

namespace shardlens {

// A label with one line of text that is elided if the room is too small.
class ElidedLabel final : public QWidget {
  Q_OBJECT

 public:
  // Title and Detail are bold; Title and Figures are never elided. Note, Aside and Figures are
  // muted: they drop the last of their parts, which " · " separates, until the rest fits. Note is
  // aligned right, Aside left. Sentence looks like body text.
  enum class Role { Title, Detail, Note, Aside, Sentence, Figures };

  explicit ElidedLabel(Role role, QWidget* parent = nullptr);
  void setText(const QString& text);
  QString text() const { return text_; }
  Role role() const { return role_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QFont textFont() const;

  Role role_;
  QString text_;
};

// The header of a panel: its title, a detail and a note at the right. A dock uses it as its title
// bar, so that dragging it moves the panel.
class PanelHeader final : public QWidget {
  Q_OBJECT

 public:
  explicit PanelHeader(QWidget* parent = nullptr);
  void setTitle(const QString& title);
  void setDetail(const QString& text) { detail_->setText(text); }
  void setNote(const QString& text) { note_->setText(text); }
  QString detail() const { return detail_->text(); }
  QString note() const { return note_->text(); }
  // Appends a widget at the right. The header takes ownership.
  void addControl(QWidget* control);
  // False hides the visible controls and shows the title, for pictures. True shows those controls
  // again, and the title unless the panel has a tab.
  void setControlsVisible(bool visible);
  // Hides the title, which the tab of the panel shows.
  void setTabbed(bool tabbed);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  ElidedLabel* title_;
  ElidedLabel* detail_;
  ElidedLabel* note_;
  QHBoxLayout* row_;
  std::vector<QWidget*> controls_;
  std::vector<QWidget*> hidden_;  // by setControlsVisible()
  bool tabbed_ = false;
};

// Base class of the panels of the window. A panel shows one position of one recording. It may keep
// references to the journal until the next setSnapshot(); before a journal is destroyed, an empty
// one must be set.
class Panel : public QWidget {
  Q_OBJECT

 public:
  explicit Panel(QWidget* parent = nullptr);

  void setTitle(const QString& title);  // also of the header, and the accessible name
  QString title() const { return title_; }

  // Shows the journal at the position of the snapshot.
  virtual void setSnapshot(const Journal& journal, const Snapshot& snapshot) = 0;
  // A child of the parent that was passed to the constructor, not of the panel. Without a parent,
  // the owner of the panel must give the header one.
  PanelHeader* header() const { return header_; }
  // The same for all contents, so that separators stay while the position moves.
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  // Requests to go to this position, because the user chose something that stands for its event.
  void positionRequested(shardlens::EventId position);
  // Request that Events show only the events that match the query, or that runs stop at them.
  void filterRequested(const QString& query);
  void breakpointRequested(const QString& query);
  // Requests a filter or a breakpoint for events like this one.
  void similarRequested(shardlens::WithEvent action, shardlens::EventId event);
  // Requests to go to a step of the program, from 0. It may not have run yet.
  void stepRequested(int step);
  // Requests that the Inspector show this element. `local` is its index in the rank's shard; empty:
  // only the tensor and the rank.
  void elementRequested(shardlens::TensorId tensor, int rank, const shardlens::Shape& local);
  // Requests to edit a step of the program; -1: the whole program.
  void changeRequested(int step);
  // Request the what-if sheet for a tensor of the program, or for the result of a step.
  void whatIfRequested(const QString& tensor);
  void whatIfStepRequested(int step);
  // Requests to change the program so that this tensor gets these placements.
  void placementRequested(const QString& tensor, const shardlens::Placements& placements);
  // Requests to write a picture of the panel.
  void exportRequested();
  // Requests to copy a step, numbered from 0, as Markdown.
  void stepCopyRequested(int step);

 protected:
  // Makes the rows of the view go to their events: TableModel::EventRole, or eventOf(row). The menu
  // of a row offers a filter and a breakpoint. Rows with event 0 do nothing.
  void leadToEvents(QAbstractItemView& view);
  void leadToEvents(QAbstractItemView& view,
                    const std::function<EventId(const QModelIndex&)>& eventOf);
  // Adds two menu items named by the noun ("rank"): filter Events by the query, and stop runs at
  // it.
  void offerQuery(QMenu& menu, const QString& noun, const QString& query);
  // As offerQuery(), for events like this one. Adds nothing if `event` is 0.
  void offerSimilar(QMenu& menu, const QString& noun, EventId event);
  // Adds a menu item that opens the what-if sheet for the tensor. It is disabled if the recording's
  // program cannot be run again. Adds nothing if `tensor` is 0.
  void offerWhatIf(QMenu& menu, const Journal& journal, TensorId tensor);

  void paintEvent(QPaintEvent* event) override;
  // Opens a menu with the actions of the widgets at the pointer, or of the focused ones if opened
  // by key, then those of offerAt(), then those of the panel.
  void contextMenuEvent(QContextMenuEvent* event) override;
  // Adds menu items for this place, in coordinates of the panel.
  virtual void offerAt(QMenu& /*menu*/, QPoint /*place*/) {}

 private:
  QString title_;
  PanelHeader* header_;
};

}  // namespace shardlens
