#include "ui/shell/panel_places.h"

namespace shardlens {

std::vector<Placed> placesOf(const RunContent& content) {
  using enum Place;
  const bool noted = content.isLive;
  std::vector<Placed> placed;
  switch (content.perspective) {
    case Perspective::Step:
      placed = {{"programPanel", LeftTop},       {"eventsPanel", LeftBottom},
                {"buffersPanel", BottomLeft},    {"cachesPanel", BottomRight},
                {"inspectorPanel", BottomRight}, {"tensorsPanel", BottomRight},
                {"timelinePanel", BottomWide},   {"meshPanel", RightTop},
                {"whyPanel", RightMiddle}};
      break;
    case Perspective::Job:
      placed = {{"overviewPanel", LeftTop},     {"eventsPanel", LeftBottom},
                {"timelinePanel", BottomWide},  {"inspectorPanel", BottomWide},
                {"tensorsPanel", BottomWide},   {"meshPanel", RightTop},
                {"problemsPanel", RightMiddle}, {"programPanel", RightBottom},
                {"whyPanel", RightBottom},      {"cachesPanel", RightBottom},
                {"buffersPanel", RightBottom},  {"notesPanel", RightBottom}};
      return placed;
    case Perspective::Hang:
      placed = {{"meshPanel", LeftTop},        {"eventsPanel", LeftBottom},
                {"timelinePanel", BottomWide}, {"inspectorPanel", BottomWide},
                {"tensorsPanel", BottomWide},  {"problemsPanel", RightTop},
                {"programPanel", RightMiddle}, {"overviewPanel", RightBottom},
                {"whyPanel", RightBottom},     {"cachesPanel", RightBottom},
                {"buffersPanel", RightBottom}, {"notesPanel", RightBottom}};
      return placed;
    case Perspective::Compare:
      placed = {{"programPanel", LeftTop},      {"eventsPanel", LeftBottom},
                {"inspectorPanel", BottomWide}, {"tensorsPanel", BottomWide},
                {"timelinePanel", BottomWide},  {"cachesPanel", BottomWide},
                {"buffersPanel", BottomWide},   {"whyPanel", RightTop},
                {"meshPanel", RightMiddle}};
      break;
  }
  placed.push_back({noted ? "notesPanel" : "overviewPanel", RightBottom});
  placed.push_back({"problemsPanel", RightBottom});
  placed.push_back({noted ? "overviewPanel" : "notesPanel", RightBottom});
  return placed;
}

}  // namespace shardlens
