#pragma once

#include <QWidget>

class QBoxLayout;
class QVBoxLayout;

namespace shardlens {

// The page that the window shows while no document is open: a button to open a file, the gallery,
// and the recent files.
class WelcomePage final : public QWidget {
  Q_OBJECT

 public:
  explicit WelcomePage(QWidget* parent = nullptr);
  void setRecent(const QStringList& paths);  // newest first

 Q_SIGNALS:
  void openRequested();                     // the user wants to choose a file
  void pathRequested(const QString& path);  // the user chose a gallery item or a recent file

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QBoxLayout* lists_;  // the gallery, and what is beside or below it
  QVBoxLayout* recent_;
};

}  // namespace shardlens
