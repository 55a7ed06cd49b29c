#pragma once

#include "core/trace/snapshot.h"
#include "ui/models/program_text.h"

#include <QAbstractListModel>

namespace shardlens {

// The program of a recording, a row a line, with the current one marked. It reads as one would
// write it, or as the file has it.
class ProgramModel final : public QAbstractListModel {
  Q_OBJECT

 public:
  enum Role { NumberRole = Qt::UserRole, CurrentRole, DoneRole };
  enum class Form { Readable, Source };

  using QAbstractListModel::QAbstractListModel;

  void setSnapshot(const Journal& journal, const Snapshot& snapshot);
  void setForm(Form form);
  Form form() const { return form_; }
  int currentRow() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  void build();

  QString source_;
  Form form_ = Form::Readable;
  bool readable_ = false;
  std::vector<ProgramLine> lines_;
  int step_ = -1;
  int line_ = 0;
};

}  // namespace shardlens
