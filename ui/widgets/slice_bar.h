#pragma once

#include "ui/scenes/tensor_slice.h"

#include <QString>
#include <QWidget>

class QBoxLayout;
class QComboBox;
class QSpinBox;

namespace shardlens {

// Controls for a TensorSlice: the dimensions shown as rows and columns, and the index in each other
// dimension. Hidden for tensors with fewer than three dimensions.
class SliceBar final : public QWidget {
  Q_OBJECT

 public:
  explicit SliceBar(QWidget* parent = nullptr);

  // Resets the slice to its initial state if the shape differs. Neither setter emits sliceChosen().
  void setShape(const Shape& shape);
  void setSlice(const TensorSlice& slice);
  const TensorSlice& slice() const { return slice_; }

 Q_SIGNALS:
  void sliceChosen();  // the user changed the slice

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fill();
  void fillIndex();
  void fitIndex();
  QString textOf(int dim) const;
  int otherDim() const;  // the dimension whose index is edited; -1: none

  TensorSlice slice_;
  QComboBox* rows_;
  QComboBox* columns_;
  QComboBox* others_;
  QSpinBox* index_;
  QBoxLayout* parts_;
};

}  // namespace shardlens
