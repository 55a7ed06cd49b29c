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
      {"start", Go, 0, tr("To &start"), tr("Go to the start"), keys(Qt::Key_Home),
       Needs::WayToStart, Move, tr("start")},
      {"backOver", Go, 0, tr("Step back o&ver"),
       tr("Go back to the event before this one beside it"),
       keys(Qt::SHIFT | Qt::Key_F10, Qt::Key_Up | Qt::CTRL), Needs::EarlierEvents},
      {"back", Go, 0, tr("Step &back"), tr("Go one event back"), keys(Qt::Key_Left),
       Needs::EarlierEvents, Move, tr("back")},
      {"step", Go, 0, tr("&Step"), tr("Go one event on"), keys(Qt::Key_Right, Qt::Key_F11),
       Needs::LaterEvents, MainMove, tr("step")},
      {"over", Go, 0, tr("Step &over"), tr("Go on to the next event beside this one"),
       keys(Qt::Key_F10, Qt::Key_Down | Qt::CTRL), Needs::LaterEvents, Move, tr("over")},
      {"out", Go, 0, tr("Step o&ut"),
       tr("Go on to the next event beside the one that this is part of"),
       keys(Qt::SHIFT | Qt::Key_F11), Needs::LaterEvents},
      {"end", Go, 0, tr("To &end"), tr("Go to the end"), keys(Qt::Key_End), Needs::LaterEvents,
       Move, tr("end")},
      {"continue", Go, 1, tr("&Continue"),
       tr("Go on to the next breakpoint, or to the end; Esc stops"), keys(Qt::Key_F5),
       Needs::LaterEvents, FarMove, tr("continue")},
      {"continueBack", Go, 1, tr("Continue bac&k"),
       tr("Go back to the breakpoint before, or to the start"), keys(Qt::CTRL | Qt::Key_F5),
       Needs::EarlierEvents},
      {"runToCursor", Go, 1, tr("&Run to the chosen row"),
       tr("Go to the row of Steps or line of Program that the keyboard is at"),
       keys(Qt::CTRL | Qt::Key_F10), Needs::Document},
      {"play", Go, 1, tr("&Play or pause"),
       tr("Go on event by event, up to a breakpoint, or pause"), keys(Qt::Key_Space),
       Needs::LaterEvents, FarMove, tr("play")},
      {"faster", Go, 1, tr("&Faster"), tr("Play faster"), keys(Qt::Key_Greater), Needs::Document},
      {"slower", Go, 1, tr("Slo&wer"), tr("Play slower"), keys(Qt::Key_Less), Needs::Document},
      {"nextMatch", Go, 2, tr("Next &match"),
       tr("Go to the next event that the filter of Steps asks for"), keys(Qt::Key_F3),
       Needs::Filter},
      {"previousMatch", Go, 2, tr("Previous m&atch"),
       tr("Go to the event before that the filter of Steps asks for"), keys(Qt::SHIFT | Qt::Key_F3),
       Needs::Filter},
      {"nextProblem", Go, 2, tr("&Next problem"), tr("Go to the next event that shows a problem"),
       keys(Qt::Key_F8), Needs::LaterProblem},
      {"previousProblem", Go, 2, tr("&Previous problem"),
       tr("Go to the event before that shows a problem"), keys(Qt::SHIFT | Qt::Key_F8),
       Needs::EarlierProblem},
      {"firstDifference", Go, 2, tr("First &difference"),
       tr("Go to the first difference from the linked window, in both"),
       keys(Qt::CTRL | Qt::Key_F7), Needs::LinkedDifferences},
      {"nextDifference", Go, 2, tr("Next d&ifference"),
       tr("Go to the next difference from the linked window, in both"), keys(Qt::Key_F7),
       Needs::LinkedDifferences},
      {"previousDifference", Go, 2, tr("Previous di&fference"),
       tr("Go to the difference before from the linked window, in both"),
       keys(Qt::SHIFT | Qt::Key_F7), Needs::LinkedDifferences},
      {"nextNote", Go, 2, tr("To the ne&xt note"),
       tr("Go on to the end of the next step that has a note"), keys(Qt::Key_N),
       Needs::LaterEvents},
      {"previousNote", Go, 2, tr("To the p&revious note"),
       tr("Go back to the end of the step before that has a note"), keys(Qt::SHIFT | Qt::Key_N),
       Needs::EarlierEvents},
      {"nextBookmark", Go, 3, tr("Next boo&kmark"),
       tr("Go on to the next event that is bookmarked"), keys(Qt::Key_M), Needs::LaterBookmark},
      {"previousBookmark", Go, 3, tr("Previous bookmar&k"),
       tr("Go back to the event before that is bookmarked"), keys(Qt::SHIFT | Qt::Key_M),
       Needs::EarlierBookmark},
      {"bookmark", Go, 3, tr("Book&mark this event…"),
       tr("Bookmark the current event, and write a note of it"), keys(Qt::CTRL | Qt::Key_M),
       Needs::Event},
      {"removeBookmark", Go, 3, tr("Remove bookmark"),
       tr("Remove the bookmark of the current event"), keys(Qt::CTRL | Qt::Key_Backspace),
       Needs::Bookmark},
      {"restoreBookmark", Go, 3, tr("Restore removed bookmark"),
       tr("Bring back the bookmark that was removed last"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_Backspace), Needs::RemovedBookmark},
      {"backInHistory", Go, 4, tr("Back to &where I was"), tr("Go back to where you came from"),
       keys(Qt::ALT | Qt::Key_Left), Needs::EarlierPlace},
      {"forwardInHistory", Go, 4, tr("&Forward again"), tr("Go forward again to where you were"),
       keys(Qt::ALT | Qt::Key_Right), Needs::LaterPlace},
      {"goToRank", Go, 4, tr("To a &rank…"), tr("Find a rank in Mesh by its number"),
       keys(Qt::CTRL | Qt::Key_G), Needs::Document},
      {"toggleBreakpoint", Go, 5, tr("Toggle &breakpoint"),
       tr("Set or remove a breakpoint on the chosen line or row"), keys(Qt::Key_F9),
       Needs::Document},
      {"breakpoints", Go, 5, tr("Brea&kpoints…"), tr("The breakpoints: what a run stops at"),
       keys(Qt::CTRL | Qt::Key_B), Needs::Document},
      {"stopEngine", Go, 6, tr("S&top the engine"), tr("Stop the engine"),
       keys(Qt::CTRL | Qt::Key_Period), Needs::RunningEngine},
  };
}

std::vector<CommandEntry> fileEntries() {
  return {
      {"newWindow", File, 0, tr("&New window"), tr("Open a window of its own"),
       keys(QKeySequence::New)},
      {"open", File, 0, tr("&Open…"), tr("Open a scenario, a recording or another tool's trace"),
       keys(QKeySequence::Open)},
      {"openFolder", File, 0, tr("Open &folder…"),
       tr("Open the recordings of a run's processes as one"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
      {"paste", File, 0, tr("Open from clip&board"),
       tr("Open the files, or the scenario, that are on the clipboard"),
       keys(Qt::CTRL | Qt::Key_V)},
      {"follow", File, 0, tr("&Follow a run…"), tr("Follow a run that goes on elsewhere"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_F)},
      {"save", File, 1, tr("&Save recording as…"), tr("Keep what is recorded so far in a file"),
       keys(QKeySequence::Save), Needs::OneRecording},
      {"export", File, 1, tr("&Export…"),
       tr("Write a trace, a table, a step, a page, a script or a picture"),
       keys(Qt::CTRL | Qt::Key_E), Needs::Document},
      {"copyStep", File, 1, tr("Copy s&tep as Markdown"),
       tr("Copy the current step, to paste it into an issue"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_M), Needs::Step},
      {"runAgain", File, 1, tr("&Run again"),
       tr("Read the scenario again, or of a recording the one in it, and run it from its start"),
       keys(Qt::SHIFT | Qt::Key_F5), Needs::Scenario},
      {"checkResults", File, 1, tr("C&heck results"),
       tr("Run again beside plain tensors, and say which result differs"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_F5), Needs::Scenario, None, QString(), true},
      {"compare", File, 1, tr("Co&mpare with…"), tr("See in what another recording differs"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_C), Needs::Document},
      {"openBeside", File, 1, tr("Open be&side…"),
       tr("Open another recording, or a run, in a window beside this one, and link their "
          "positions"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_B), Needs::Document},
      {"unlink", File, 1, tr("&Unlink"), tr("Let this window and the linked one go their own ways"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_U), Needs::Link},
      {"close", File, 1, tr("&Close"), tr("Close what is open"), keys(Qt::CTRL | Qt::Key_W),
       Needs::Document},
      {"quit", File, 2, tr("&Quit"), tr("Quit Shardlens"), keys(Qt::CTRL | Qt::Key_Q)},
  };
}

std::vector<CommandEntry> editEntries() {
  return {
      {"undo", Edit, 0, tr("&Undo"), tr("Take the last change of the program back"),
       keys(Qt::CTRL | Qt::Key_Z), Needs::Undo},
      {"redo", Edit, 0, tr("&Redo"), tr("Make the change again that was taken back"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_Z, Qt::CTRL | Qt::Key_Y), Needs::Redo},
      {"changeProgram", Edit, 1, tr("Change the &program…"),
       tr("Change placements, the mesh, an input or how it is run, and see what is sent then"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_E), Needs::Program},
      {"whatIf", Edit, 1, tr("&What if it lay otherwise…"),
       tr("Rank the placements of the tensor that is shown by what the whole program would cost"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_W), Needs::Program},
      {"runChanged", Edit, 1, tr("Run as &changed"),
       tr("Run the changed program; the run before is kept, to compare"),
       keys(Qt::CTRL | Qt::Key_R), Needs::ChangedProgram},
      {"compareEarlier", Edit, 1, tr("Compare with the run &before"),
       tr("See in what the run before the change differs"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_R),
       Needs::EarlierRun},
      {"openEarlier", Edit, 1, tr("Open the run before be&side"),
       tr("Open the run before the change in a window beside this one, and link their positions"),
       keys(Qt::CTRL | Qt::ALT | Qt::Key_R), Needs::EarlierRun},
      {"saveProgram", Edit, 2, tr("&Save program"), tr("Write the changed program in its file"),
       keys(Qt::CTRL | Qt::ALT | Qt::Key_S), Needs::UnsavedProgram},
      {"saveProgramAs", Edit, 2, tr("Save program &as…"),
       tr("Write the program in a file of its own"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
       Needs::Program},
  };
}

std::vector<CommandEntry> viewAndHelpEntries() {
  return {
      {"filter", View, 0, tr("&Filter rows"), tr("Filter the rows of a table"),
       keys(QKeySequence::Find, Qt::Key_Slash), Needs::Document},
      {"dark", View, 1, tr("&Dark"), tr("Dark or light"), keys(Qt::CTRL | Qt::Key_D),
       Needs::Nothing, None, QString(), true},
      {"asSystem", View, 1, tr("Light or dark as the s&ystem"), tr("Be dark when the system is"),
       keys(), Needs::Nothing, None, QString(), true},
      {"motion", View, 1, tr("&Motion"), tr("Show by a short motion what a step moves"), keys(),
       Needs::Nothing, None, QString(), true},
      {"notationDTensor", View, 5, tr("Notation of DT&ensor"), tr("Say placements as (S(0), R)"),
       keys(), Needs::Nothing, None, QString(), true},
      {"notationAxes", View, 5, tr("Notation with the names of &axes"),
       tr("Say placements as dp:S(0) tp:R"), keys(), Needs::Nothing, None, QString(), true},
      {"notationJax", View, 5, tr("Notation of &JAX"), tr("Say placements as P('dp', None)"),
       keys(), Needs::Nothing, None, QString(), true},
      {"largerType", View, 2, tr("&Larger type"), tr("Make everything larger"),
       keys(Qt::CTRL | Qt::Key_Plus, Qt::CTRL | Qt::Key_Equal)},
      {"smallerType", View, 2, tr("S&maller type"), tr("Make everything smaller"),
       keys(Qt::CTRL | Qt::Key_Minus)},
      {"normalType", View, 2, tr("&Normal type"), tr("Type as large as the system's"),
       keys(Qt::CTRL | Qt::Key_0)},
      {"present", View, 3, tr("&Present"), tr("Present to a class; Esc leaves"), keys(Qt::Key_F4),
       Needs::Document, None, QString(), true},
      {"resetLayout", View, 4, tr("&Reset layout"), tr("Put all panels back in their places"),
       keys()},
      {"palette", Help, 0, tr("&Commands…"), tr("Find a command by a few letters"),
       keys(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
      {"tour", Help, 0, tr("&Tour"), tr("What the parts of the window are for"), keys(),
       Needs::Document},
      {"handbook", Help, 0, tr("&Handbook"), tr("Open the handbook at the panel with the keyboard"),
       keys(Qt::Key_F1)},
      {"legend", Help, 0, tr("&Legend"), tr("How things are drawn"), keys(Qt::SHIFT | Qt::Key_F1),
       Needs::Nothing, Corner, tr("legend")},
      {"shortcuts", Help, 0, tr("&Shortcuts"), tr("All keyboard shortcuts"),
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

const std::vector<CommandEntry>& commandCatalogue() {
  static const auto kEntries = entries();
  return kEntries;
}

}  // namespace shardlens
