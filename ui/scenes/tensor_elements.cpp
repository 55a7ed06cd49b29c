#include "ui/scenes/tensor_elements.h"

#include "core/model/spec.h"
#include "ui/scenes/card_words.h"
#include "ui/text/format.h"

#include <limits>
#include <utility>

namespace shardlens {
namespace {

std::int64_t flatIn(const Shape& shape, const Shape& at) {
  std::int64_t flat = 0;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    flat = flat * shape[dim] + at[dim];
  }
  return flat;
}

// Returns the reason why a rank's elements are not available, or an empty string.
QString missingText(const Journal& journal, const TensorView& view, const RankPart& part) {
  if (part.value != nullptr && !part.hasData() && elementCount(part.local) > 0) {
    return QObject::tr("Only statistics were captured, no values.");
  }
  QString text = emptyText(journal, view, part).replace(u'\n', u' ');
  if (!text.isEmpty()) {
    text[0] = text[0].toUpper();
    text += u'.';
  }
  return text;
}

}  // namespace

TensorElements::TensorElements(const Journal& journal, std::shared_ptr<const TensorView> view,
                               int rank)
    : view_(std::move(view)), rank_(rank) {
  if (rank == kWhole) {
    whole_ = std::make_shared<WholeElements>(*view_);
    shape_ = view_->record->shape;
    missing_ = gapText(whole_->gap());
    if (!missing_.isEmpty()) {
      missing_ = QObject::tr("No reassembled tensor: %1.").arg(missing_);
    }
    return;
  }
  part_ = view_->part(rank);
  if (part_ == nullptr) {
    missing_ = QObject::tr("Rank %1 has no part of this tensor.").arg(rank);
    return;
  }
  shape_ = part_->local;
  missing_ = missingText(journal, *view_, *part_);
}

const ValueRecord* TensorElements::value() const {
  return part_ == nullptr ? nullptr : part_->value.get();
}

std::optional<double> TensorElements::number(const Shape& at) const {
  return whole_ ? whole_->at(at) : number(flatIn(shape_, at));
}

QString TensorElements::text(const Shape& at) const {
  if (!whole_) {
    return valueText(*view_, *part_, flatIn(shape_, at));
  }
  const auto value = whole_->at(at);
  const DType dtype = view_->record->dtype;
  return !value                 ? QString()
         : dtype == DType::Bool ? (*value != 0 ? QStringLiteral("true") : QStringLiteral("false"))
                                : fittedNumber(*value, dtype, std::numeric_limits<int>::max());
}

std::optional<double> TensorElements::number(std::int64_t flat) const {
  return whole_ ? whole_->at(coordinates(shape_, flat))
                : std::optional(part_->element(view_->record->dtype, flat));
}

bool TensorElements::masked(const Shape& at) const { return masked(flatIn(shape_, at)); }

std::int64_t TensorElements::global(int dim, std::int64_t local) const {
  return whole_       ? local
         : !isKnown() ? -1
                      : globalIndex(part_->runs[static_cast<std::size_t>(dim)], local);
}

std::optional<Shape> TensorElements::global(const Shape& at) const {
  if (!isKnown()) {
    return std::nullopt;
  }
  Shape result = at;
  for (std::size_t dim = 0; dim < at.size(); ++dim) {
    result[dim] = global(static_cast<int>(dim), at[dim]);
  }
  return result;
}

std::optional<Shape> TensorElements::local(const Shape& global) const {
  if (whole_) {
    return global.size() == shape_.size() ? std::optional(global) : std::nullopt;
  }
  const auto flat = part_ == nullptr ? std::nullopt : part_->flatOf(global);
  return flat ? std::optional(coordinates(shape_, *flat)) : std::nullopt;
}

}  // namespace shardlens
