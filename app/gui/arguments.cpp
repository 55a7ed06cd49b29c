#include "app/gui/arguments.h"

#include "core/model/step_ranges.h"
#include "shardlens_build.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/main_window.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <QRegularExpression>
#include <sstream>
#include <string>

namespace shardlens {
namespace {

constexpr auto kAbout =
    "Opens a recording (.shardlens), a folder with those of a run's processes, a scenario\n"
    "(.json), which an engine then runs, or another tool's trace, as `shardlens import` knows it.";

Result<QSize> parseSize(const std::string& text) {
  static const QRegularExpression kSize(QStringLiteral("^([0-9]{1,5})x([0-9]{1,5})$"));
  const auto match = kSize.match(QString::fromStdString(text));
  const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
  constexpr QSize kSmallest(160, 100);  // of a picture of a panel
  constexpr QSize kLargest(16384, 16384);
  if (!match.hasMatch() || size.expandedTo(kSmallest) != size || size.boundedTo(kLargest) != size) {
    const auto wxh = [](QSize each) { return fmt::format("{}x{}", each.width(), each.height()); };
    return fail(
        fmt::format("--size {}: expected WxH from {} to {}", text, wxh(kSmallest), wxh(kLargest)));
  }
  return size;
}

Result<double> parseZoom(const std::string& text) {
  const double zoom = QString::fromStdString(text).toUInt() / 100.0;
  if (zoom < Zoom::kSmallest || zoom > Zoom::kLargest) {
    return fail("--zoom " + text + ": expected percent from 80 to 300");
  }
  return zoom;
}

Result<EventId> parseEvent(const std::string& text) {
  bool ok = false;
  const uint event = QString::fromStdString(text).toUInt(&ok);
  if (!ok) {
    return fail("--event " + text + ": expected the number of an event, or 0 for the start");
  }
  return event;
}

Result<std::vector<RankRange>> stepsOf(const std::string& text) {
  auto steps = parseSteps(text);
  if (!steps) return fail("--steps " + text + ": expected steps from 1, for example 3-5,8");
  return std::move(*steps);
}

Result<view::Notation> parseNotation(const std::string& text) {
  const auto notation = view::parseNotation(text);
  return notation ? notation : fail("--" + notation.error().message);
}

Result<QString> parseText(const std::string& text) { return QString::fromLocal8Bit(text); }

// Adds an option whose text `read` parses into `place`. An error of `read` becomes a
// CLI::ValidationError.
template <class Value, class Place>
CLI::Option* add(CLI::App& app, const std::string& name, const char* type, Place& place,
                 Result<Value> (*read)(const std::string&), const std::string& help) {
  const auto take = [&place, read](const std::string& text) {
    const auto value = read(text);
    if (!value) {
      throw CLI::ValidationError(value.error().message);
    }
    place = *value;
  };
  return app.add_option_function<std::string>(name, take, help)->type_name(type);
}

}  // namespace

Result<Arguments> parseArguments(int argc, const char* const* argv) {
  Arguments result;
  CLI::App app(kAbout, "shardlens-gui");
  app.set_version_flag("--version", "shardlens-gui " + std::string(kVersion));
  auto* path = add(app, "PATH", "", result.file, parseText, "File or folder to open");
  add(app, "--event", "N", result.event, parseEvent,
      "Show the state after event N; default: the first problem of a recording, else its end")
      ->needs(path);
  add(app, "--step", "N", result.event, parseEvent, "The earlier name of --event")
      ->needs(path)
      ->group("");  // not in the help
  add(app, "--steps", "N", result.steps, stepsOf,
      "Open only these steps of a recording: 3-5,8. Events are then numbered within them")
      ->needs(path);
  add(app, "--compare", "B", result.compare, parseText,
      "Compare with the recording B, a file or a folder, in this window")
      ->needs(path);
  auto* screenshot =
      add(app, "--screenshot", "OUT", result.screenshot, parseText,
          "Write a picture of the window and exit; needs no display. A scenario runs to its end or "
          "to event N first. OUT.png is a bitmap, OUT.svg a vector picture");
  add(app, "--panel", "NAME", result.panel, parseText,
      "Draw only one panel: shards, program, events, buffers, caches, inspector, tensors, "
      "timeline, "
      "mesh, why, notes, problems or overview")
      ->needs(screenshot);
  add(app, "--size", "WxH", result.size, parseSize, "Size of the window or picture");
  add(app, "--zoom", "PERCENT", result.zoom, parseZoom,
      "Zoom of text and drawings in percent, from 80 to 300");
  app.add_flag("--dark", result.dark, "Use dark colours");
  add(app, "--notation", "NAME", result.notation, parseNotation,
      "Notation of placements: dtensor, axes or jax");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    std::ostringstream output;
    app.exit(success, output, output);
    result.output = output.str();
  } catch (const CLI::ParseError& wrong) {
    return fail(wrong.what());
  }
  const QSize least = MainWindow::kSmallest;
  if (result.size.isValid() && result.panel.isEmpty() &&
      result.size.expandedTo(least) != result.size) {
    return fail(fmt::format("--size {}x{}: expected at least {}x{} for the window",
                            result.size.width(), result.size.height(), least.width(),
                            least.height()));
  }
  return result;
}

}  // namespace shardlens
