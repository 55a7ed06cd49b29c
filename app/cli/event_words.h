#pragma once

#include "app/cli/ink.h"
#include "core/model/mesh.h"
#include "core/trace/journal/journal.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shardlens::cli {

// "7.2 us", "1.5 ms".
std::string timeText(double microseconds);
// "dp:2 x tp:4"
std::string axesText(const DeviceMesh& mesh);

// What an event of a journal says, in words: a label, and what happened and why.
class EventWords {
 public:
  EventWords(const Journal& journal, Ink ink);

  const std::optional<DeviceMesh>& mesh() const { return mesh_; }
  // The ranks of this process, "0,1"; empty where they are all.
  const std::string& hosted() const { return hosted_; }
  std::string_view label(const Event& event) const;
  std::string text(EventId id) const;
  // What there is to say beneath it: of a plan its steps, and the next best ways.
  std::vector<std::string> more(EventId id) const;

 private:
  std::string operatorText(const Event& event) const;
  std::string lookupText(const Event& event) const;
  std::string candidatesText(const Event& event) const;
  std::string redistributeText(EventId id) const;
  std::string planText(const Event& event) const;
  std::string collectiveText(const Event& event) const;
  std::string maskText(const Event& event) const;
  std::string resultText(const Event& event) const;

  const Journal& journal_;
  Ink ink_;
  std::optional<DeviceMesh> mesh_;
  std::string hosted_;  // empty where all ranks are this process's
};

// The shape of each rank's part: "[3, 3] on each rank", or "[3, 3] on 0-2, [1, 3] on 3". What was
// captured says it; where nothing was, the placements do. Empty where neither can.
std::string localShapesText(const Journal& journal, TensorId tensor);

}  // namespace shardlens::cli
