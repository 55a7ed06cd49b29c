#pragma once

#include "ui/scenes/zoom.h"

#include <QAbstractButton>

namespace shardlens {

// A button with a title and a description, and optionally a picture at the left and a second,
// wrapped description.
class LinkRow final : public QAbstractButton {
  Q_OBJECT

 public:
  LinkRow(const QString& title, const QString& about, QWidget* parent = nullptr);
  // Sets the files of the picture for light and for dark colours, which are read when the row is
  // drawn. No picture if a file is missing.
  void setPicture(const QString& light, const QString& dark);
  void setDetail(const QString& detail);  // the second description; empty: none
  QSize sizeHint() const override { return {240, zoomed(detail_.isEmpty() ? 52 : 112)}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString about_;
  QString detail_;
  QString light_;  // files
  QString dark_;
};

}  // namespace shardlens
