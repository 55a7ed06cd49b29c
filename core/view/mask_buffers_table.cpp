#include "core/view/mask_buffers_table.h"

#include "core/base/text.h"

#include <algorithm>

namespace shardlens::view {

Table maskBuffersTable(const std::vector<BufferState>& buffers) {
  Table table{.columns = {{"buffer"}, {"held by"}, {"refcount", Align::Right}, {"state"}},
              .rows = {}};
  const BufferState* newest = newestBuffer(buffers);
  for (const auto& buffer : buffers) {
    const bool live = buffer.refcount > 0;
    table.rows.push_back(
        {.cells = {{.text = "#" + std::to_string(buffer.id), .number = buffer.id},
                   {holdersText(buffer)},
                   {.text = std::to_string(buffer.refcount), .number = buffer.refcount},
                   {.text = live ? "live" : "released", .tone = live ? Tone::Strong : Tone::Quiet}},
         .event = buffer.changed,
         .marked = &buffer == newest});
  }
  return table;
}

const BufferState* newestBuffer(const std::vector<BufferState>& buffers) {
  const auto newest =
      std::max_element(buffers.begin(), buffers.end(),
                       [](const auto& a, const auto& b) { return a.changed < b.changed; });
  return newest == buffers.end() ? nullptr : &*newest;
}

int liveBuffers(const std::vector<BufferState>& buffers) {
  return static_cast<int>(std::count_if(buffers.begin(), buffers.end(),
                                        [](const auto& buffer) { return buffer.refcount > 0; }));
}

std::string holdersText(const BufferState& buffer) {
  return buffer.holders.empty() ? "nobody" : joined(buffer.holders);
}

}  // namespace shardlens::view
