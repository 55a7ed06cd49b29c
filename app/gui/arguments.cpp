#include "app/gui/arguments.h"

#include "ui/scenes/zoom.h"
#include "ui/shell/main_window.h"

#include <fmt/core.h>

#include <QRegularExpression>
#include <string>

namespace shardlens {
namespace {

Result<QSize> parseSize(const QString& text) {
  static const QRegularExpression kSize(QStringLiteral("^([0-9]{1,5})x([0-9]{1,5})$"));
  const auto match = kSize.match(text);
  const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
  constexpr QSize kLargest(16384, 16384);
  if (!match.hasMatch() || size.expandedTo(MainWindow::kSmallest) != size ||
      size.boundedTo(kLargest) != size) {
    const auto wxh = [](QSize each) { return fmt::format("{}x{}", each.width(), each.height()); };
    return fail(fmt::format("--size {}: expected WxH from {} to {}", text.toStdString(),
                            wxh(MainWindow::kSmallest), wxh(kLargest)));
  }
  return size;
}

Result<double> parseZoom(const QString& text) {
  const double zoom = text.toUInt() / 100.0;
  if (zoom < Zoom::kSmallest || zoom > Zoom::kLargest) {
    return fail("--zoom " + text.toStdString() + ": expected percent from 80 to 300");
  }
  return zoom;
}

Result<EventId> parseStep(const QString& text) {
  bool ok = false;
  const uint step = text.toUInt(&ok);
  if (!ok) {
    return fail("--step " + text.toStdString() + ": expected a number of events, from 0");
  }
  return step;
}

}  // namespace

QString usage() {
  return QStringLiteral(
      "shardlens-gui [PATH] [--step N] [--screenshot OUT] [--panel NAME] [--size WxH] [--zoom "
      "PERCENT] [--dark] [--notation NAME]\n"
      "\n"
      "Opens a recording (.shardlens), a folder with those of a run's processes, a scenario\n"
      "(.json), which an engine then runs, or another tool's trace, as `shardlens import` knows "
      "it.\n"
      "  --step N              show the position after N events; without it, the first error of a\n"
      "                        recording, else its end\n"
      "  --screenshot OUT.png  write a picture of it and end; needs no display. A scenario runs "
      "to\n"
      "                        its end for that, or to event N. OUT.svg is drawn in lines\n"
      "  --panel NAME          of one panel alone: shards, program, steps, buffers, caches,\n"
      "                        inspector, timeline, mesh, why, notes or problems\n"
      "  --size WxH            of the window or the picture\n"
      "  --zoom PERCENT        of its type and all else, from 80 to 300\n"
      "  --dark                dark instead of light\n"
      "  --notation NAME       how placements are said: dtensor, axes or jax\n"
      "  --help, --version\n");
}

Result<Arguments> parseArguments(const QStringList& words) {
  Arguments result;
  for (qsizetype i = 0; i < words.size(); ++i) {
    QString word = words[i];
    QString value;
    const auto equals = word.indexOf(u'=');
    const bool joined = word.startsWith(QStringLiteral("--")) && equals > 0;
    if (joined) {
      value = word.mid(equals + 1);
      word = word.left(equals);
    }
    const bool takesValue = word == QStringLiteral("--step") ||
                            word == QStringLiteral("--screenshot") ||
                            word == QStringLiteral("--panel") || word == QStringLiteral("--size") ||
                            word == QStringLiteral("--zoom") ||
                            word == QStringLiteral("--notation");
    if (takesValue && !joined) {
      if (i + 1 == words.size()) {
        return fail(word.toStdString() + ": expected a value after it");
      }
      value = words[++i];
    }
    if (word == QStringLiteral("--step")) {
      const auto step = parseStep(value);
      if (!step) {
        return tl::unexpected(step.error());
      }
      result.step = *step;
    } else if (word == QStringLiteral("--screenshot")) {
      result.screenshot = value;
    } else if (word == QStringLiteral("--panel")) {
      result.panel = value;
    } else if (word == QStringLiteral("--size")) {
      const auto size = parseSize(value);
      if (!size) {
        return tl::unexpected(size.error());
      }
      result.size = *size;
    } else if (word == QStringLiteral("--zoom")) {
      const auto zoom = parseZoom(value);
      if (!zoom) {
        return tl::unexpected(zoom.error());
      }
      result.zoom = *zoom;
    } else if (word == QStringLiteral("--notation")) {
      const auto notation = view::parseNotation(value.toStdString());
      if (!notation) {
        return fail("--" + notation.error().message);
      }
      result.notation = *notation;
    } else if (word == QStringLiteral("--dark")) {
      result.dark = true;
    } else if (word == QStringLiteral("--help") || word == QStringLiteral("-h")) {
      result.help = true;
    } else if (word == QStringLiteral("--version")) {
      result.version = true;
    } else if (word.startsWith(u'-')) {
      return fail(word.toStdString() + ": there is no such option; --help lists them");
    } else if (!result.file.isEmpty()) {
      return fail(word.toStdString() + ": one file at a time, " + result.file.toStdString() +
                  " was given already");
    } else {
      result.file = word;
    }
  }
  if (result.file.isEmpty() && result.step) {
    return fail("--step: expected a PATH to step in");
  }
  if (!result.panel.isEmpty() && result.screenshot.isEmpty()) {
    return fail("--panel: expected a --screenshot to draw it on");
  }
  return result;
}

}  // namespace shardlens
