#pragma once

#include "ui/scenes/assembled.h"

#include <QObject>
#include <QString>
#include <memory>
#include <optional>

namespace shardlens {

// The elements of one rank's shard, or of the whole that the shards make, at one position. Each is
// read when it is asked for.
class TensorElements {
 public:
  static constexpr int kWhole = -1;  // instead of a rank

  TensorElements() = default;  // of no tensor
  TensorElements(const Journal& journal, std::shared_ptr<const TensorView> view, int rank);

  int rank() const { return rank_; }
  const TensorView& view() const { return *view_; }
  const Shape& shape() const { return shape_; }
  // Why none can be read, in words; empty where they can.
  const QString& missing() const { return missing_; }
  // How many parts are looked at for one.
  std::size_t parts() const { return whole_ ? whole_->pieces() : 1; }
  // What was captured of a shard.
  const ValueRecord* value() const;

  // The index counts along shape(). None where no rank has the element.
  std::optional<double> number(const Shape& at) const;
  QString text(const Shape& at) const;  // with all its digits; empty where there is none
  bool masked(const Shape& at) const;
  // The same by its place, row-major: of many that follow one another.
  std::optional<double> number(std::int64_t flat) const;
  bool masked(std::int64_t flat) const { return part_ != nullptr && part_->masked(flat); }
  // Where it stands in the whole; none where the recording cannot tell.
  std::optional<Shape> global(const Shape& at) const;
  std::int64_t global(int dim, std::int64_t local) const;  // -1: cannot tell
  // Where an element of the whole stands here; none where it does not.
  std::optional<Shape> local(const Shape& global) const;

 private:
  bool isKnown() const { return whole_ != nullptr || part_->runs.size() == shape_.size(); }

  std::shared_ptr<const TensorView> view_;
  const RankPart* part_ = nullptr;  // null: it is the whole
  std::shared_ptr<const WholeElements> whole_;
  int rank_ = kWhole;
  Shape shape_;
  QString missing_ = QObject::tr("No tensor is there yet.");
};

}  // namespace shardlens
