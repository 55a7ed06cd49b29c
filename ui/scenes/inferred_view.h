#pragma once

#include "core/inference/inference.h"
#include "core/view/words/placement_words.h"
#include "ui/scenes/tensor_view.h"

#include <QString>

namespace shardlens {

// Gives a view of a plain tensor the placements that are inferred for it at `position`, and sets
// TensorView::isInferred. If they are known along all axes and fit the local shapes, the view also
// gets the mesh of the axes, the shape of the whole tensor, and the indices of each part. Does
// nothing for a tensor with recorded placements, or without inferred ones.
void placeInferred(TensorView& view, const InferredPlacements& inferred, EventId position);

// Return the placements of a tensor, "tp S(0), dp R", and the reasons: "inferred from all_gather at
// attention.py:81". Several reasons have the name of the axis: "inferred from tp: all_gather at
// attention.py:81 · dp: equal values at train.py:9". Empty if nothing is inferred.
QString inferredText(const InferredPlacements& inferred, TensorId tensor, EventId position);
QString inferredFromText(const Journal& journal, const InferredPlacements& inferred,
                         TensorId tensor, EventId position);

// The header of a panel about one tensor.
struct TensorHeader {
  QString detail;        // "x  ·  f32[6, 3]  ·  S(0)"; empty without a tensor
  QString inferredFrom;  // inferredFromText() of an inferred placement; else empty
};
// `inferred` may be null if the view is not inferred.
TensorHeader tensorHeader(const Journal& journal, const TensorView& view,
                          const InferredPlacements* inferred, EventId position,
                          view::Notation notation);

}  // namespace shardlens
