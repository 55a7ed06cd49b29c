#pragma once

#include "core/exports/export_formats.h"

#include <QDialog>
#include <QString>
#include <utility>
#include <vector>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace shardlens {

// The document to export.
struct ExportSubject {
  QString path;   // proposed path, without an extension
  int step = -1;  // step at the position of the window, from 0; -1: before the first step
  std::vector<std::pair<QString, QString>> panels;  // short names and titles
};

// The choice of the user.
struct ExportChoice {
  const ExportFormat* format = nullptr;
  ExportPart part;
  QString panel;  // short name of the panel to draw; empty: the whole window
  QString path;
};

// A dialog to choose the format, the part and the file of an export. It describes each format and
// warns if the file exists and will be replaced.
class ExportDialog final : public QDialog {
  Q_OBJECT

 public:
  ExportDialog(ExportSubject subject, QWidget* parent);
  // Preselects a picture of this panel, a short name of ExportSubject::panels; empty: the window.
  void choosePanel(const QString& panel);

 Q_SIGNALS:
  void chosen(const shardlens::ExportChoice& choice);  // the dialog was accepted; it has closed

 private:
  void showFormat();
  void showTable();
  void showFile();
  void browse();
  void accept() override;
  const ExportFormat& format() const;
  QString table() const;

  ExportSubject subject_;
  QString typed_;  // file name without extension, as typed; empty until the user edits it
  QListWidget* formats_;
  QFormLayout* form_;
  QComboBox* tables_;
  QComboBox* panels_;
  QComboBox* steps_;
  QLineEdit* path_;
  QLabel* status_;
  QPushButton* export_;
};

}  // namespace shardlens
