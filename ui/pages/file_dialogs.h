#pragma once

#include <QString>

class QWidget;

namespace shardlens {

// A path that a person chooses; empty when none was.
QString chooseFile(QWidget* window);
// A file of the user's program, of this name.
QString chooseSource(QWidget* window, const QString& name);
QString chooseFolder(QWidget* window);
QString chooseWhereToSave(QWidget* window, const QString& name);
QString chooseWhereToSaveProgram(QWidget* window, const QString& name);

}  // namespace shardlens
