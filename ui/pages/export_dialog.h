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

// What there is to export.
struct ExportSubject {
  QString path;                                     // to propose, without an ending
  int step = -1;                                    // where the window is; -1: before the first
  std::vector<std::pair<QString, QString>> panels;  // short names and titles
};

// What a person has chosen of it.
struct ExportChoice {
  const ExportFormat* format = nullptr;
  ExportPart part;
  QString panel;  // of a picture; empty: the window
  QString path;
};

// Asks as what, and of what, something is to be written, and where to. It says of each format what
// it is for, and of a file that is there that it will be replaced.
class ExportDialog final : public QDialog {
  Q_OBJECT

 public:
  ExportDialog(ExportSubject subject, QWidget* parent);
  // A picture of this panel, until something else is chosen.
  void choosePanel(const QString& panel);

 Q_SIGNALS:
  void chosen(const shardlens::ExportChoice& choice);

 private:
  void showFormat();
  void showTable();
  void showFile();
  void browse();
  void accept() override;
  const ExportFormat& format() const;
  QString table() const;

  ExportSubject subject_;
  QString typed_;  // the file's name without its ending; empty while nobody chose one
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
