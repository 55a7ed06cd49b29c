#pragma once

#include "ui/bridge/document.h"

namespace shardlens {

// The texts that name a document.
struct DocumentTitle {
  QString name;    // the name in the top bar
  QString about;   // details beside the name
  QString window;  // title of the window
};

// Returns the texts of a document. All are built from its present state, so call it again after a
// change.
DocumentTitle titleOf(const Document& document);

// Returns "steps 3-5 of 100 are loaded"; empty if all steps are, or if the document is a scenario.
QString loadedSteps(const Document& document);

}  // namespace shardlens
