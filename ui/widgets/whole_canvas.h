#pragma once

#include "core/trace/records/check_record.h"
#include "ui/scenes/whole_scene.h"

#include <QWidget>
#include <memory>

namespace shardlens {

// Draws the assembled tensor in a strip, with a verdict: whether copies agree, and whether the
// tensor equals the plain one if the run was checked. Of a replicated tensor, which the only card
// of Shards shows whole, it draws the verdict alone.
class WholeCanvas final : public QWidget {
  Q_OBJECT

 public:
  explicit WholeCanvas(QWidget* parent = nullptr);
  // Shows the tensor of the view, or nothing if its record is null. `view` must not be null. Does
  // not retain the journal.
  void setTensor(const Journal& journal, const Snapshot& snapshot,
                 std::shared_ptr<const TensorView> view);

  // "Reassembled" or "Reassembled after the reduction"; empty without a tensor.
  QString heading() const;
  QString verdict() const;  // "all 4 copies are equal"; empty without a tensor
  const Assembled& whole() const { return whole_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  bool pending() const;
  bool repeatsCard() const;
  void findCheck(const Journal& journal);
  QString partsText() const;
  QString plainText() const;
  QString copiesText() const;
  QString differenceOfCopies() const;
  void chooseHeight();

  Snapshot snapshot_;
  std::shared_ptr<const TensorView> view_ = std::make_shared<TensorView>();
  Assembled whole_;
  Verdict checked_ = Verdict::None;  // result of the comparison with the plain tensor
  CheckRecord check_;
  bool twoLines_ = false;  // heading and verdict do not fit in one line
};

}  // namespace shardlens
