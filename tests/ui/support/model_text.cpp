#include "tests/ui/support/model_text.h"

#include <QStringList>

namespace shardlens {
namespace {

void print(const QAbstractItemModel& model, const QModelIndex& parent, int depth, QString& text) {
  for (int row = 0; row < model.rowCount(parent); ++row) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(parent); ++column) {
      cells << model.index(row, column, parent).data().toString();
    }
    text += QString(2 * depth, u' ') + cells.join(QStringLiteral(" | ")) + u'\n';
    print(model, model.index(row, 0, parent), depth + 1, text);
  }
}

}  // namespace

std::string modelText(const QAbstractItemModel& model) {
  QString text;
  print(model, {}, 0, text);
  return text.toStdString();
}

}  // namespace shardlens
