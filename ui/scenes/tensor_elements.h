#pragma once

#include "ui/scenes/assembled.h"

#include <QObject>
#include <QString>
#include <memory>
#include <optional>

namespace shardlens {

// The elements of one rank's shard, or of the whole tensor, at one position. Each element is read
// on access. All functions but rank(), shape(), missing(), parts() and value() require that
// missing() is empty.
class TensorElements {
 public:
  static constexpr int kWhole = -1;  // in place of a rank: the assembled tensor

  TensorElements() = default;  // no tensor; missing() is set
  // `rank` is a rank or kWhole. The view must contain a tensor; it is shared. The journal is not
  // retained.
  TensorElements(const Journal& journal, std::shared_ptr<const TensorView> view, int rank);

  int rank() const { return rank_; }
  const TensorView& view() const { return *view_; }
  const Shape& shape() const { return shape_; }
  // Returns the reason why the elements cannot be read, for the user, or an empty string.
  const QString& missing() const { return missing_; }
  std::size_t parts() const { return whole_ ? whole_->pieces() : 1; }  // shards read per element
  // Returns the captured value of the shard. Null for the whole, or if nothing was captured.
  const ValueRecord* value() const;

  // Return an element by its index in shape(). nullopt or an empty text if no rank holds it.
  std::optional<double> number(const Shape& at) const;
  QString text(const Shape& at) const;  // with all its digits
  bool masked(const Shape& at) const;   // false for the whole
  // Return an element by its row-major offset in shape(), which is faster for a scan.
  std::optional<double> number(std::int64_t flat) const;
  bool masked(std::int64_t flat) const { return part_ != nullptr && part_->masked(flat); }
  // Returns the global index of an element, or nullopt if it is unknown.
  std::optional<Shape> global(const Shape& at) const;
  std::int64_t global(int dim, std::int64_t local) const;  // along one dimension; -1: unknown
  // Returns the index here of an element of the whole tensor, or nullopt if it is not here.
  std::optional<Shape> local(const Shape& global) const;

 private:
  bool isKnown() const { return whole_ != nullptr || part_->runs.size() == shape_.size(); }

  std::shared_ptr<const TensorView> view_;
  const RankPart* part_ = nullptr;  // null for the whole
  std::shared_ptr<const WholeElements> whole_;
  int rank_ = kWhole;
  Shape shape_;
  QString missing_ = QObject::tr("No tensors yet.");
};

}  // namespace shardlens
