#include "ui/pages/file_dialogs.h"

#include <QFileDialog>

namespace shardlens {
namespace {

QString tr(const char* text) { return QObject::tr(text); }

}  // namespace

QString chooseFile(QWidget* window) {
  return QFileDialog::getOpenFileName(window, tr("Open"), {},
                                      tr("Scenarios, recordings and traces (*.json *.shardlens "
                                         "*.json.gz *.txt *.log);;All files (*)"));
}

QString chooseSource(QWidget* window, const QString& name) {
  return QFileDialog::getOpenFileName(window, tr("Locate %1").arg(name), name,
                                      tr("Python (*.py);;All files (*)"));
}

QString chooseFolder(QWidget* window) {
  return QFileDialog::getExistingDirectory(window,
                                           tr("Open the recordings of all processes of a run"));
}

QString chooseWhereToSave(QWidget* window, const QString& name) {
  return QFileDialog::getSaveFileName(window, tr("Save recording"),
                                      name + QStringLiteral(".shardlens"),
                                      tr("Recordings (*.shardlens)"));
}

QString chooseWhereToSaveProgram(QWidget* window, const QString& name) {
  return QFileDialog::getSaveFileName(window, tr("Save program"), name, tr("Scenarios (*.json)"));
}

}  // namespace shardlens
