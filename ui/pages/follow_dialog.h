#pragma once

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;

namespace shardlens {

class FollowClient;

// Asks where a run is served and for its token, and stays until the first recording has come or
// somebody gives up: what is wrong is said here, where it can be mended.
class FollowDialog final : public QDialog {
  Q_OBJECT

 public:
  explicit FollowDialog(QWidget* parent);

 Q_SIGNALS:
  // The first recording has come. Whoever hears it owns the client.
  void followed(shardlens::FollowClient* client);

 private:
  void start();
  void say(const QString& problem);  // and let it be tried again

  QLineEdit* where_;
  QLineEdit* token_;
  QLabel* status_;
  QPushButton* start_;
};

}  // namespace shardlens
