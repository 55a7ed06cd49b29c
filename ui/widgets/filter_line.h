#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QShortcut;

namespace shardlens {

class QuietTable;

// The filter line above a table. The table shows only rows that contain all typed words, and the
// line shows their number. The line is opened by open() or by typing in the table, and closes when
// it loses the focus without words, so that a filter is never active while its line is hidden.
// Return and Down move to the table; Escape, also in the table, clears and closes the line.
class FilterLine final : public QWidget {
  Q_OBJECT

 public:
  explicit FilterLine(QuietTable& table);  // `table` must outlive it

  // Opens the line of the table that has the focus, or else of the first visible table. Returns
  // false if there is none.
  static bool openIn(const QWidget& window);
  // Shows and focuses the line. Appends `typed` to its text, or selects the text if `typed` is
  // empty.
  void open(const QString& typed = {});
  // Clears the filter, focuses the table and closes the line, also if it is closed already.
  void end();

 Q_SIGNALS:
  void visibilityChanged();  // the line was shown or hidden

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void setOpen(bool open);
  void follow();  // shows the line if it is open and the table is not hidden
  void filter();
  void count();

  QuietTable& table_;
  QLineEdit* words_;
  QLabel* count_;
  QShortcut* escape_;  // Escape in the table; enabled while the line is open
  bool open_ = false;
};

}  // namespace shardlens
