#include "ui/panels/panel_catalogue.h"

#include "ui/panels/buffers_panel.h"
#include "ui/panels/caches_panel.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/mesh_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/problems_panel.h"
#include "ui/panels/program_panel.h"
#include "ui/panels/shards_panel.h"
#include "ui/panels/steps_panel.h"
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
      {"shardsPanel", tr("Shards"), tr("A tensor's local shards, rank by rank, and the whole"),
       Place::Middle, make<ShardsPanel>},
      {"programPanel", tr("Program"), tr("The program, and the line that the position stands in"),
       Place::LeftTop, make<ProgramPanel>},
      {"stepsPanel", tr("Steps"), tr("Every event, as a tree of what happened inside of what"),
       Place::LeftBottom, make<StepsPanel>},
      {"buffersPanel", tr("Mask buffers"), tr("A mask buffer's refcount, holders and bits"),
       Place::BottomLeft, make<BuffersPanel>},
      {"cachesPanel", tr("Caches"),
       tr("The entries of the caches, and why the newest look-up hit "
          "or missed"),
       Place::BottomRight, make<CachesPanel>},
      {"inspectorPanel", tr("Inspector"),
       tr("A tensor's elements as a table, a heat map or a histogram, and what happened to one"),
       Place::BottomRight, make<InspectorPanel>},
      {"timelinePanel", tr("Timeline"), tr("What each rank does over time, and for whom it waits"),
       Place::BottomWide, make<TimelinePanel>},
      {"meshPanel", tr("Mesh"), tr("The ranks in their mesh, and who takes part in a collective"),
       Place::RightTop, make<MeshPanel>},
      {"whyPanel", tr("Why"), tr("Which placements and which plan were chosen, and out of which"),
       Place::RightMiddle, make<WhyPanel>},
      {"notesPanel", tr("Notes"),
       tr("What the scenario's author says of the step, and your bookmarks"), Place::RightBottom,
       make<NotesPanel>},
      {"problemsPanel", tr("Problems"),
       tr("What is wrong in the recording, or costs more than it has to"), Place::RightBottom,
       make<ProblemsPanel>},
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
