#pragma once

#include <QString>

class QWidget;

namespace shardlens {

// Each function opens a modal dialog and returns the chosen path; empty if the user cancels.
QString chooseFile(QWidget* window);
// Asks for a source file of the user's program. `name` is proposed.
QString chooseSource(QWidget* window, const QString& name);
QString chooseFolder(QWidget* window);
// `name` is proposed; the first function appends ".shardlens" to it.
QString chooseWhereToSave(QWidget* window, const QString& name);
QString chooseWhereToSaveProgram(QWidget* window, const QString& name);

}  // namespace shardlens
