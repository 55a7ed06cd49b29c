#pragma once

#include "core/trace/journal/journal.h"
#include "core/trace/snapshot/snapshot.h"
#include "ui/widgets/row_actions.h"

#include <QWidget>

class QHBoxLayout;
class QMenu;

namespace shardlens {

// One line of text that shortens itself to the room it gets.
class ElidedLabel final : public QWidget {
  Q_OBJECT

 public:
  // An aside is a note that begins at the left, a sentence one that matters as much as a text;
  // figures are one that is never cut.
  enum class Role { Title, Detail, Note, Aside, Sentence, Figures };

  explicit ElidedLabel(Role role, QWidget* parent = nullptr);
  void setText(const QString& text);
  QString text() const { return text_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QFont textFont() const;

  Role role_;
  QString text_;
};

// The top of a panel's card: its name, what it shows, and a remark at the right. A dock has it as
// its title bar, so that dragging it moves the panel.
class PanelHeader final : public QWidget {
  Q_OBJECT

 public:
  explicit PanelHeader(QWidget* parent = nullptr);
  void setTitle(const QString& title);
  void setDetail(const QString& text) { detail_->setText(text); }
  void setNote(const QString& text) { note_->setText(text); }
  QString detail() const { return detail_->text(); }
  QString note() const { return note_->text(); }
  void addControl(QWidget* control);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  ElidedLabel* title_;
  ElidedLabel* detail_;
  ElidedLabel* note_;
  QHBoxLayout* row_;
};

// A card of the window. It shows one position of one recording and keeps nothing that outlives the
// next setSnapshot; before a journal goes away, an empty one is set.
class Panel : public QWidget {
  Q_OBJECT

 public:
  explicit Panel(QWidget* parent = nullptr);

  void setTitle(const QString& title);
  QString title() const { return title_; }

  virtual void setSnapshot(const Journal& journal, const Snapshot& snapshot) = 0;
  PanelHeader* header() const { return header_; }

 Q_SIGNALS:
  // Something was chosen that stands for an event.
  void positionWanted(shardlens::EventId position);
  // Steps is to show only the events that a query asks for, or runs are to stop at them.
  void filterWanted(const QString& query);
  void breakpointWanted(const QString& query);
  // The same for events like this one.
  void likeWanted(shardlens::WithEvent what, shardlens::EventId event);
  // A line of the program was chosen: its step, from 0, which may not have run yet.
  void stepWanted(int step);
  // An element was chosen, by its index in the rank's shard.
  void elementWanted(shardlens::TensorId tensor, int rank, const shardlens::Shape& local);
  // A step of the program is to be changed; -1: the whole.
  void changeWanted(int step);
  // What the program would cost if this tensor of it lay otherwise; of a step, if its result did.
  void whatIfWanted(const QString& tensor);
  void whatIfStepWanted(int step);
  // The program is to be changed so that this tensor lies so.
  void placementWanted(const QString& tensor, const shardlens::Placements& placements);
  // A picture of the panel is to be written.
  void exportWanted();
  // A step is to be copied as Markdown.
  void stepCopyWanted(int step);

 protected:
  // The rows of a view lead to events; to those of their EventRole, where nobody says it otherwise.
  void leadToEvents(QAbstractItemView& view);
  void leadToEvents(QAbstractItemView& view,
                    const std::function<EventId(const QModelIndex&)>& eventOf);
  // Two lines of a menu, on what `what` names, as "rank": Steps is to show only the events that a
  // query asks for, and runs are to stop at them.
  void offerQuery(QMenu& menu, const QString& what, const QString& query);
  // The same for events like this one; for 0 nothing.
  void offerLike(QMenu& menu, const QString& what, EventId event);
  // What is offered of a tensor in a menu, where the recording is of a program: what if it lay
  // otherwise.
  void offerWhatIf(QMenu& menu, const Journal& journal, TensorId tensor);

  void paintEvent(QPaintEvent* event) override;
  // By the right button or the Menu key: what can be done with the row, or the place, that it is
  // asked for, and with the panel.
  void contextMenuEvent(QContextMenuEvent* event) override;
  virtual void offerAt(QMenu& /*menu*/, QPoint /*place*/) {}

 private:
  QString title_;
  PanelHeader* header_;
};

}  // namespace shardlens
