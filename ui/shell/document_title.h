#pragma once

#include "ui/bridge/document.h"

namespace shardlens {

// How a document is called.
struct DocumentTitle {
  QString name;    // its own, in the top bar
  QString about;   // what else there is to say of it, beside the name
  QString window;  // of the window that shows it
};

DocumentTitle titleOf(const Document& document);

}  // namespace shardlens
