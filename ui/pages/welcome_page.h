#pragma once

#include <QWidget>

class QVBoxLayout;

namespace shardlens {

// What the window shows while nothing is open: ways to open something, the gallery, and what was
// open lately.
class WelcomePage final : public QWidget {
  Q_OBJECT

 public:
  explicit WelcomePage(QWidget* parent = nullptr);
  void setRecent(const QStringList& paths);

 Q_SIGNALS:
  void openWanted();
  void pathWanted(const QString& path);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QVBoxLayout* recent_;
};

}  // namespace shardlens
