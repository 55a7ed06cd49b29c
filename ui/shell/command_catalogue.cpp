#include "ui/shell/command_catalogue.h"

#include <QObject>

namespace shardlens {
namespace {

using enum CommandMenu;
using enum CommandButton;

QString tr(const char* text) { return QObject::tr(text); }

template <class... Key>
QList<QKeySequence> keys(Key... key) {
  return {QKeySequence(key)...};
}

std::vector<CommandEntry> goEntries() {
  return {
      {"start", Go, 0, tr("Go to &start"), tr("Go to the start"), keys(Qt::Key_Home), Needs::Rewind,
       EndMove, tr("start")},
      {"backOver", Go, 0, tr("Step back o&ver"), tr("Go to the previous event at the same level"),
       keys(Qt::SHIFT | Qt::Key_F10, Qt::Key_Up | Qt::CTRL), Needs::EarlierEvents},
      {"back", Go, 0, tr("Previous e&vent"), tr("Go to the previous event"), keys(Qt::Key_Left),
       Needs::EarlierEvents, Move, tr("back")},
      {"step", Go, 0, tr("Next &event"), tr("Go to the next event"),
       keys(Qt::Key_Right, Qt::Key_F11), Needs::LaterEvents, MainMove, tr("next")},
      {"over", Go, 0, tr("Step &over"), tr("Go to the next event at the same level"),
       keys(Qt::Key_F10, Qt::Key_Down | Qt::CTRL), Needs::LaterEvents, Move, tr("over")},
      {"out", Go, 0, tr("Step o&ut"), tr("Go to the next event after the enclosing one"),
       keys(Qt::SHIFT | Qt::Key_F11), Needs::LaterEvents},
      {"end", Go, 0, tr("Go to &end"), tr("Go to the end"), keys(Qt::Key_End), Needs::LaterEvents,
       EndMove, tr("end")},
      {"continue", Go, 1, tr("&Continue"),
       tr("Run to the next breakpoint or to the end; Esc stops"), keys(Qt::Key_F5),
       Needs::LaterEvents, FarMove, tr("continue")},
      {"continueBack", Go, 1, tr("Continue bac&k"),
       tr("Go back to the previous breakpoint or to the start"), keys(Qt::CTRL | Qt::Key_F5),
       Needs::EarlierEvents},
      {"runToCursor", Go, 1, tr("&Run to selected row"),
       tr("Go to the selected row of Events or line of Program"), keys(Qt::CTRL | Qt::Key_F10),
       Needs::Document},
      {"play", Go, 1, tr("&Play or pause"),
       tr("Go from event to event up to a breakpoint, or pause"), keys(Qt::Key_Space),
       Needs::LaterEvents, FarMove, tr("play")},
      {"faster", Go, 1, tr("&Faster"), tr("Play faster"), keys(Qt::Key_Greater), Needs::Document},
      {"slower", Go, 1, tr("Slo&wer"), tr("Play slower"), keys(Qt::Key_Less), Needs::Document},
      {"nextMatch", Go, 2, tr("Next &match"),
       tr("Go to the next event that matches the filter of Events"), keys(Qt::Key_F3),
       Needs::Filter},
      {"previousMatch", Go, 2, tr("Previous m&atch"),
       tr("Go to the previous event that matches the filter of Events"),
       keys(Qt::SHIFT | Qt::Key_F3), Needs::Filter},
      {"nextProblem", Go, 2, tr("&Next problem"), tr("Go to the next event with a problem"),
       keys(Qt::Key_F8), Needs::AnyProblem},
      {"previousProblem", Go, 2, tr("&Previous problem"),
       tr("Go to the previous event with a problem"), keys(Qt::SHIFT | Qt::Key_F8),
       Needs::AnyProblem},
      {"firstDifference", Go, 2, tr("First &difference"),
       tr("Go to the first difference from the compared or linked recording"),
       keys(Qt::CTRL | Qt::Key_F7), Needs::LinkedDifferences},
      {"nextDifference", Go, 2, tr("Next d&ifference"),
       tr("Go to the next difference from the compared or linked recording"), keys(Qt::Key_F7),
       Needs::LinkedDifferences},
      {"previousDifference", Go, 2, tr("Previous di&fference"),
       tr("Go to the previous difference from the compared or linked recording"),
       keys(Qt::SHIFT | Qt::Key_F7), Needs::LinkedDifferences},
      {"nextNote", Go, 2, tr("Ne&xt note"), tr("Go to the end of the next step with a note"),
       keys(Qt::Key_N), Needs::LaterEvents},
      {"previousNote", Go, 2, tr("P&revious note"),
       tr("Go to the end of the previous step with a note"), keys(Qt::SHIFT | Qt::Key_N),
       Needs::EarlierEvents},
      {"nextBookmark", Go, 3, tr("Next boo&kmark"), tr("Go to the next bookmarked event"),
       keys(Qt::Key_M), Needs::LaterBookmark},
      {"previousBookmark", Go, 3, tr("Previous bookmar&k"),
       tr("Go to the previous bookmarked event"), keys(Qt::SHIFT | Qt::Key_M),
       Needs::EarlierBookmark},
      {"bookmark", Go, 3, tr("Add book&mark…"), tr("Bookmark the current event and write a note"),
       keys(Qt::CTRL | Qt::Key_M), Needs::Event},
      {"removeBookmark", Go, 3, tr("Remove bookmark"),
       tr("Remove the bookmark of the current event"), keys(Qt::CTRL | Qt::Key_Backspace),
       Needs::Bookmark},
      {"restoreBookmark", Go, 3, tr("Restore removed bookmark"),
       tr("Restore the bookmark that was removed last"), keys(), Needs::RemovedBookmark},
      {"backInHistory", Go, 4, tr("B&ack"), tr("Go back to the position before the last jump"),
       keys(Qt::ALT | Qt::Key_Left), Needs::EarlierPosition},
      {"forwardInHistory", Go, 4, tr("F&orward"), tr("Go forward to the position before Back"),
       keys(Qt::ALT | Qt::Key_Right), Needs::LaterPosition},
      {"goToRank", Go, 4, tr("Go to &rank…"), tr("Select a rank in Mesh by its number"),
       keys(Qt::CTRL | Qt::Key_G), Needs::Document},
      {"toggleBreakpoint", Go, 5, tr("Toggle &breakpoint"),
       tr("Set or remove a breakpoint on the selected line or row"), keys(Qt::Key_F9),
       Needs::Document},
      {"breakpoints", Go, 5, tr("Edit brea&kpoints…"), tr("Add, disable and remove breakpoints"),
       keys(Qt::CTRL | Qt::Key_B), Needs::Document},
      {"stopEngine", Go, 6, tr("S&top engine"), tr("Stop the engine"),
       keys(Qt::CTRL | Qt::Key_Period), Needs::RunningEngine},
  };
}

std::vector<CommandEntry> fileEntries() {
  return {
      {"newWindow", File, 0, tr("&New window"), tr("Open another window"), keys(QKeySequence::New)},
      {"open", File, 0, tr("&Open…"), tr("Open a scenario, a recording or a trace of another tool"),
       keys(QKeySequence::Open)},
      {"openFolder", File, 0, tr("Open &folder…"),
       tr("Open the recordings of all processes of a run"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
      {"openSteps", File, 0, tr("Open s&teps…"),
       tr("Open some steps of the open recording, or all"), keys(), Needs::Recording},
      {"nextExample", File, 0, tr("Ne&xt gallery item"),
       tr("Open the next scenario of the gallery"), keys(Qt::CTRL | Qt::Key_PageDown),
       Needs::GalleryItem},
      {"previousExample", File, 0, tr("Pre&vious gallery item"),
       tr("Open the previous scenario of the gallery"), keys(Qt::CTRL | Qt::Key_PageUp),
       Needs::GalleryItem},
      {"paste", File, 0, tr("Open from clip&board"),
       tr("Open files or a scenario from the clipboard"), keys(Qt::CTRL | Qt::Key_V)},
      {"follow", File, 0, tr("&Follow run…"), tr("Follow a run in progress on another machine"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_F)},
      {"save", File, 1, tr("&Save recording as…"), tr("Save the events recorded so far in a file"),
       keys(QKeySequence::Save), Needs::OneRecording},
      {"export", File, 1, tr("&Export…"),
       tr("Export a trace, table, step, page, script or picture"), keys(Qt::CTRL | Qt::Key_E),
       Needs::Document},
      {"copyStep", File, 1, tr("Copy s&tep as Markdown"),
       tr("Copy the current step as Markdown, for an issue"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_M), Needs::Step},
      {"runAgain", File, 1, tr("&Run again"),
       tr("Run the scenario file, or the recorded program, from the start"),
       keys(Qt::SHIFT | Qt::Key_F5), Needs::Scenario},
      {"checkResults", File, 1, tr("C&heck results"),
       tr("Run again and compare each result with plain tensors"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_F5), Needs::Scenario, None, QString(), true},
      {"compare", File, 1, tr("Co&mpare with…"),
       tr("Compare with another recording in this window"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
       Needs::Document},
      {"openBeside", File, 1, tr("Open be&side…"),
       tr("Open another recording or scenario in a linked window beside this one"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_B), Needs::Document},
      {"unlink", File, 1, tr("&Unlink windows"),
       tr("Stop linking the positions of the two windows"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_U),
       Needs::Link},
      {"close", File, 1, tr("&Close"), tr("Close the document"), keys(Qt::CTRL | Qt::Key_W),
       Needs::Document},
      {"quit", File, 2, tr("&Quit"), tr("Quit Shardlens"), keys(Qt::CTRL | Qt::Key_Q)},
  };
}

std::vector<CommandEntry> editEntries() {
  return {
      {"undo", Edit, 0, tr("&Undo"), tr("Undo the last change of the program"),
       keys(Qt::CTRL | Qt::Key_Z), Needs::Undo},
      {"redo", Edit, 0, tr("&Redo"), tr("Redo the change that was undone last"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_Z, Qt::CTRL | Qt::Key_Y), Needs::Redo},
      {"changeProgram", Edit, 1, tr("Edit &program…"),
       tr("Edit placements, the mesh, inputs or options, and estimate the traffic"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_E), Needs::Program},
      {"whatIf", Edit, 1, tr("&What if placed differently…"),
       tr("Rank the placements of the shown tensor by the cost of the whole program"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_W), Needs::Program},
      {"runChanged", Edit, 1, tr("Run &changed program"),
       tr("Run the changed program and keep the previous run for comparison"),
       keys(Qt::CTRL | Qt::Key_R), Needs::ChangedProgram},
      {"compareEarlier", Edit, 1, tr("Compare with &previous run"),
       tr("List the differences from the run before the change"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_R), Needs::EarlierRun},
      {"openEarlier", Edit, 1, tr("Open previous run be&side this one"),
       tr("Open the run before the change in a linked window beside this one"),
       keys(Qt::CTRL | Qt::ALT | Qt::Key_R), Needs::EarlierRun},
      {"saveProgram", Edit, 2, tr("&Save program"), tr("Save the changed program in its file"),
       keys(Qt::CTRL | Qt::ALT | Qt::Key_S), Needs::UnsavedProgram},
      {"saveProgramAs", Edit, 2, tr("Save program &as…"), tr("Save the program in another file"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_S), Needs::Program},
  };
}

std::vector<CommandEntry> viewAndHelpEntries() {
  return {
      {"filter", View, 0, tr("&Filter rows"), tr("Filter the rows of a table"),
       keys(QKeySequence::Find, Qt::Key_Slash), Needs::Document},
      {"dark", View, 1, tr("&Dark"), tr("Use dark colours"), keys(Qt::CTRL | Qt::Key_D),
       Needs::Nothing, None, QString(), true},
      {"asSystem", View, 1, tr("Follow s&ystem theme"), tr("Use dark colours when the system does"),
       keys(), Needs::Nothing, None, QString(), true},
      {"motion", View, 1, tr("Ani&mate events"),
       tr("Show what an event moves by a short animation"), keys(), Needs::Nothing, None, QString(),
       true},
      {"notationDTensor", View, 5, tr("DT&ensor notation: (S(0), R)"),
       tr("Write placements as (S(0), R)"), keys(), Needs::Nothing, None, QString(), true},
      {"notationAxes", View, 5, tr("Named-&axes notation: dp:S(0) tp:R"),
       tr("Write placements as dp:S(0) tp:R"), keys(), Needs::Nothing, None, QString(), true},
      {"notationJax", View, 5, tr("&JAX notation: P('dp', None)"),
       tr("Write placements as P('dp', None)"), keys(), Needs::Nothing, None, QString(), true},
      {"largerType", View, 2, tr("&Zoom in"), tr("Show everything larger"),
       keys(Qt::CTRL | Qt::Key_Plus, Qt::CTRL | Qt::Key_Equal)},
      {"smallerType", View, 2, tr("Zoom o&ut"), tr("Show everything smaller"),
       keys(Qt::CTRL | Qt::Key_Minus)},
      {"normalType", View, 2, tr("Reset &zoom"), tr("Use the font size of the system"),
       keys(Qt::CTRL | Qt::Key_0)},
      {"present", View, 3, tr("&Presentation"),
       tr("Present to an audience; Esc ends the presentation"), keys(Qt::Key_F4), Needs::Document,
       None, QString(), true},
      {"stepPerspective", View, 4, tr("Perspective: &Step"),
       tr("Arrange the panels for a program: program, shards and masks"),
       keys(Qt::CTRL | Qt::Key_1), Needs::Document},
      {"jobPerspective", View, 4, tr("Perspective: &Job"),
       tr("Arrange the panels for a job: overview, problems, ranks and timeline"),
       keys(Qt::CTRL | Qt::Key_2), Needs::Document},
      {"hangPerspective", View, 4, tr("Perspective: &Hang"),
       tr("Arrange the panels for a hang: waiting ranks, timeline and problems"),
       keys(Qt::CTRL | Qt::Key_3), Needs::Document},
      {"comparePerspective", View, 4, tr("Perspective: &Compare"),
       tr("Show the comparison, or arrange the panels for two linked windows"),
       keys(Qt::CTRL | Qt::Key_4), Needs::Document},
      {"resetLayout", View, 4, tr("&Reset layout"), tr("Restore the default layout of the panels"),
       keys()},
      {"palette", Help, 0, tr("&Find anything…"),
       tr("Find a command, panel, tensor, line, module, problem, rank or event by a few letters"),
       keys(Qt::CTRL | Qt::Key_P, Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
      {"tour", Help, 0, tr("Take &tour"), tr("Explain the parts of the window"), keys(),
       Needs::Document},
      {"handbook", Help, 0, tr("Open &handbook"),
       tr("Open the handbook at the page of the panel with focus"), keys(Qt::Key_F1)},
      {"legend", Help, 0, tr("Show &legend"), tr("Explain colours, outlines and signs"),
       keys(Qt::SHIFT | Qt::Key_F1), Needs::Nothing, Corner, tr("legend")},
      {"shortcuts", Help, 0, tr("Show &shortcuts"), tr("List all keyboard shortcuts"),
       keys(Qt::Key_Question, Qt::SHIFT | Qt::Key_Question), Needs::Nothing, Corner, tr("? keys")},
  };
}

std::vector<CommandEntry> entries() {
  auto all = goEntries();
  for (const auto& more : {fileEntries(), editEntries(), viewAndHelpEntries()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace

QString nameOf(CommandMenu menu) {
  switch (menu) {
    case Go:
      return tr("&Go");
    case File:
      return tr("&File");
    case Edit:
      return tr("&Edit");
    case View:
      return tr("&View");
    case Help:
      break;
  }
  return tr("&Help");
}

QString submenuOf(const CommandEntry& entry) {
  const bool isOfGo = entry.menu == Go;
  return isOfGo && entry.group == 2   ? tr("&Next and previous")
         : isOfGo && entry.group == 3 ? tr("&Bookmarks")
                                      : QString();
}

const std::vector<CommandEntry>& commandCatalogue() {
  static const auto kEntries = entries();
  return kEntries;
}

}  // namespace shardlens
