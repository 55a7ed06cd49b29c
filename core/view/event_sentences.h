#pragma once

#include "core/model/mesh.h"
#include "core/trace/journal/journal.h"
#include "core/view/styled_text.h"

#include <optional>
#include <string>
#include <vector>

namespace shardlens::view {

// What happened, in a sentence an event: the figures and the reasons too.
class EventSentences {
 public:
  explicit EventSentences(const Journal& journal);

  const std::optional<DeviceMesh>& mesh() const { return mesh_; }
  // The ranks of the process that recorded, "0,1"; empty where all ranks are.
  const std::string& hosted() const { return hosted_; }

  StyledText text(EventId id) const;
  // What else it says, a line each: the steps of a plan, and what it could have been.
  std::vector<StyledText> more(EventId id) const;

 private:
  StyledText redistributeText(EventId id) const;
  StyledText collectiveText(EventId id) const;
  StyledText maskText(const Event& event) const;
  StyledText resultText(const Event& event) const;

  const Journal& journal_;
  std::optional<DeviceMesh> mesh_;
  std::string hosted_;
};

}  // namespace shardlens::view
