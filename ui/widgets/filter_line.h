#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QShortcut;

namespace shardlens {

class QuietTable;

// The line above a table in which words are typed: the table shows the rows that contain them all,
// and the line says how many those are. It is seen, while the table is, from when somebody asks for
// it or types in the table until it is left without words: no filter works unseen. Return and Down
// go on to the table; Escape, there too, ends it.
class FilterLine final : public QWidget {
  Q_OBJECT

 public:
  explicit FilterLine(QuietTable& table);

  // Opens the line of the table that the keyboard is in, else of the first table that is seen.
  // False: there is none.
  static bool openIn(const QWidget& window);
  // The words that are there stay, and what is typed is added to them.
  void open(const QString& typed = {});
  void end();

 Q_SIGNALS:
  void cameOrWent();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void setOpen(bool open);
  void follow();  // the table, in whether it is hidden
  void filter();
  void count();

  QuietTable& table_;
  QLineEdit* words_;
  QLabel* count_;
  QShortcut* escape_;  // from the table
  bool open_ = false;
};

}  // namespace shardlens
