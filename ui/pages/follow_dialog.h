#pragma once

#include <QDialog>

class QLabel;
class QLineEdit;
class QPushButton;

namespace shardlens {

class FollowClient;

// A dialog for the address and the token of a served run. It stays open until the first recording
// arrives or the user cancels, and shows errors in place, so that the input can be corrected.
class FollowDialog final : public QDialog {
  Q_OBJECT

 public:
  explicit FollowDialog(QWidget* parent);

 Q_SIGNALS:
  // Emitted when the first recording arrives. The receiver takes ownership of the client, which has
  // no parent.
  void followed(shardlens::FollowClient* client);

 private:
  void start();
  void showProblem(const QString& problem);  // shows the problem and enables the button again

  QLineEdit* where_;
  QLineEdit* token_;
  QLabel* status_;
  QPushButton* start_;
};

}  // namespace shardlens
