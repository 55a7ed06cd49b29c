// Test cases of the commands in View and Help.
#include "tests/ui/support/command_case.h"

#include <QDockWidget>
#include <QMainWindow>

namespace shardlens::cases {
namespace {

QString zoom(OnCommands& /*on*/) { return QString::number(Zoom::now().factor()); }
QString notation(OnCommands& on) {
  return QString::fromUtf8(view::notationName(on.window.notation()));
}

bool isAtTheLeft(OnCommands& on, const char* dock) {
  return on.window.findChild<QMainWindow*>()->dockWidgetArea(on.find<QDockWidget>(dock)) ==
         Qt::LeftDockWidgetArea;
}
QString isMeshAtTheLeft(OnCommands& on) { return text(isAtTheLeft(on, "meshPanelDock")); }
QString isOverviewAtTheLeft(OnCommands& on) { return text(isAtTheLeft(on, "overviewPanelDock")); }
Act perspective(Perspective perspective) {
  return [perspective](OnCommands& on) { on.window.usePerspective(perspective); };
}

Act type(double factor) {
  return [factor](OnCommands& on) { on.window.setZoom(factor); };
}

}  // namespace

std::map<std::string, CommandCase> viewCases() {
  using enum CommandCase::Opened;
  return {
      {"filter",
       {Recording, [](OnCommands& on) { on.find<QWidget>("stepsView")->setFocus(); },
        shows("stepsFilter"), "yes"}},
      {"dark", {Nothing, nothing, [](OnCommands& on) { return text(on.window.isDark()); }, "yes"}},
      {"asSystem",
       {Nothing, [](OnCommands& on) { on.window.setDark(true); },
        [](OnCommands& on) { return text(on.window.isDark()); }, "no"}},
      {"motion",
       {Nothing, [](OnCommands& /*on*/) { Motion::setEnabled(false); },
        [](OnCommands& /*on*/) { return text(Motion::isEnabled()); }, "yes"}},
      {"notationDTensor",
       {Nothing, [](OnCommands& on) { on.window.setNotation(view::Notation::NamedAxes); }, notation,
        "dtensor"}},
      {"notationAxes", {Nothing, nothing, notation, "axes"}},
      {"notationJax", {Nothing, nothing, notation, "jax"}},
      {"largerType", {Nothing, type(1), zoom, "1.1"}},
      {"smallerType", {Nothing, type(1.1), zoom, "1"}},
      {"normalType", {Nothing, type(1.1), zoom, "1"}},
      {"present", {Recording, nothing, shows("moves"), "no"}},
      {"stepPerspective", {Recording, perspective(Perspective::Hang), isMeshAtTheLeft, "no"}},
      {"jobPerspective", {Recording, nothing, isOverviewAtTheLeft, "yes"}},
      {"hangPerspective", {Recording, nothing, isMeshAtTheLeft, "yes"}},
      {"comparePerspective", {Recording, perspective(Perspective::Hang), isMeshAtTheLeft, "no"}},
      {"resetLayout",
       {Recording, [](OnCommands& on) { on.find<QDockWidget>("eventsPanelDock")->hide(); },
        shows("eventsPanelDock"), "yes"}},
      {"palette", {Nothing, nothing, shows("commandPalette"), "yes"}},
      {"tour", {Recording, nothing, shows("tour"), "yes"}},
      {"handbook", {Nothing, nothing, shows("handbookWindow"), "yes"}},
      {"legend", {Nothing, nothing, shows("legend"), "yes"}},
      {"shortcuts", {Nothing, nothing, shows("shortcutSheet"), "yes"}},
  };
}

}  // namespace shardlens::cases
