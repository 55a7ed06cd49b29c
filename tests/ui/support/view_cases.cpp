// Test cases of the commands in View and Help.
#include "tests/ui/support/command_case.h"

#include <QDockWidget>

namespace shardlens::cases {
namespace {

QString zoom(OnCommands& /*on*/) { return QString::number(Zoom::now().factor()); }
QString notation(OnCommands& on) {
  return QString::fromUtf8(view::notationName(on.window.notation()));
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
