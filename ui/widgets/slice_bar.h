#pragma once

#include "ui/scenes/tensor_slice.h"

#include <QString>
#include <QWidget>

class QBoxLayout;
class QComboBox;
class QSpinBox;

namespace shardlens {

// Which two dimensions of a tensor are rows and columns, and at which index the others are. It is
// seen where there are others.
class SliceBar final : public QWidget {
  Q_OBJECT

 public:
  explicit SliceBar(QWidget* parent = nullptr);

  // Another shape begins with its first slice, the same one stays.
  void setShape(const Shape& shape);
  void setSlice(const TensorSlice& slice);
  const TensorSlice& slice() const { return slice_; }

 Q_SIGNALS:
  void sliceChosen();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fill();
  void fillIndex();
  QString textOf(int dim) const;
  int otherDim() const;  // whose index is shown; -1: none

  TensorSlice slice_;
  QComboBox* rows_;
  QComboBox* columns_;
  QComboBox* others_;
  QSpinBox* index_;
  QBoxLayout* parts_;
};

}  // namespace shardlens
