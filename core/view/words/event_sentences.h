#pragma once

#include "core/model/mesh.h"
#include "core/trace/journal/journal.h"
#include "core/view/words/placement_words.h"
#include "core/view/words/styled_text.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {

// Describes events in full sentences, with figures and reasons, for logs. Keeps a reference to the
// journal.
class EventSentences {
 public:
  explicit EventSentences(const Journal& journal, Notation notation = Notation::DTensor);

  // The recording's mesh, if known.
  const std::optional<DeviceMesh>& mesh() const { return mesh_; }
  // The hosted ranks, "0,1"; "" if all ranks of the mesh are hosted.
  const std::string& hosted() const { return hosted_; }

  // Returns the sentence of an event.
  StyledText text(EventId id) const;
  // Returns further lines of a Plan: its steps, caveats and alternatives. Empty for other events.
  std::vector<StyledText> more(EventId id) const;

 private:
  StyledText redistributeText(EventId id) const;
  StyledText collectiveText(EventId id) const;
  StyledText maskText(const Event& event) const;
  StyledText resultText(const Event& event) const;

  const Journal& journal_;
  Notation notation_;
  std::optional<DeviceMesh> mesh_;
  std::string hosted_;
};

}  // namespace shardlens::view
