#include "ui/panels/panel_catalogue.h"

#include "ui/panels/buffers_panel.h"
#include "ui/panels/caches_panel.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/mesh_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/overview_panel.h"
#include "ui/panels/problems_panel.h"
#include "ui/panels/program_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/panels/steps_panel.h"
#include "ui/panels/tensors_panel.h"
#include "ui/panels/timeline_panel.h"
#include "ui/panels/why_panel.h"

namespace shardlens {
namespace {

template <class SomePanel>
Panel* make(QWidget* parent) {
  return new SomePanel(parent);
}

std::vector<PanelEntry> entries() {
  const auto tr = [](const char* text) { return QObject::tr(text); };
  return {
      {"shardsPanel", tr("Shards"),
       tr("The shards of a tensor on each rank, and the reassembled tensor"), Place::Middle,
       make<ShardsPanel>},
      {"programPanel", tr("Program"), tr("The program, with the current line marked"),
       Place::LeftTop, make<ProgramPanel>},
      {"eventsPanel", tr("Events"), tr("All events as a tree"), Place::LeftBottom,
       make<StepsPanel>},
      {"buffersPanel", tr("Mask buffers"), tr("The refcount, holders and bits of a mask buffer"),
       Place::BottomLeft, make<BuffersPanel>},
      {"cachesPanel", tr("Caches"),
       tr("The cache entries, and why the newest lookup hit or missed"), Place::BottomRight,
       make<CachesPanel>},
      {"inspectorPanel", tr("Inspector"),
       tr("The elements of a tensor as a table, heat map or histogram, and the history of one "
          "element"),
       Place::BottomRight, make<InspectorPanel>},
      {"tensorsPanel", tr("Tensors"),
       tr("All tensors by module, and every use of the selected one"), Place::BottomRight,
       make<TensorsPanel>},
      {"timelinePanel", tr("Timeline"), tr("The activity of each rank over time, and its waiting"),
       Place::BottomWide, make<TimelinePanel>},
      {"meshPanel", tr("Mesh"),
       tr("The ranks of the mesh, and the groups of the current collective"), Place::RightTop,
       make<MeshPanel>},
      {"whyPanel", tr("Why"), tr("The candidate placements and plans, and the chosen ones"),
       Place::RightMiddle, make<WhyPanel>},
      {"notesPanel", tr("Notes"), tr("The author's notes on the step, and your bookmarks"),
       Place::RightBottom, make<NotesPanel>},
      {"problemsPanel", tr("Problems"), tr("Errors in the recording, and avoidable costs"),
       Place::RightBottom, make<ProblemsPanel>},
      {"overviewPanel", tr("Overview"), tr("The totals of the recording and its worst problems"),
       Place::RightBottom, make<OverviewPanel>},
  };
}

}  // namespace

const std::vector<PanelEntry>& panelCatalogue() {
  static const auto kEntries = entries();
  return kEntries;
}

QString shortNameOf(const PanelEntry& entry) {
  return QString::fromLatin1(entry.id).remove(QStringLiteral("Panel"));
}

Panel* makePanel(const PanelEntry& entry, QWidget* parent) {
  Panel* panel = entry.make(parent);
  panel->setObjectName(QLatin1String(entry.id));
  panel->setTitle(entry.title);
  panel->setAccessibleDescription(entry.help);
  return panel;
}

}  // namespace shardlens
