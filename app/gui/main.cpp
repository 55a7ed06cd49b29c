// Entry point of the window. --screenshot renders a picture without a display.
#include "app/gui/arguments.h"
#include "ui/bridge/run_folder.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/main_window.h"
#include "ui/shell/picture.h"
#include "ui/shell/style.h"

#include <QApplication>
#include <QFontInfo>
#include <cstdio>

namespace {

using namespace shardlens;

constexpr int kWrong = 2;  // exit code for a wrong command line or a file that cannot be opened

int refuse(const std::string& message) {
  std::fprintf(stderr, "shardlens-gui: %s\n", message.c_str());
  return kWrong;
}

bool hasDisplay() {
  return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
         qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
}

// Message handler for screenshots: drops debug output and known warnings of the offscreen platform.
void quietly(QtMsgType type, const QMessageLogContext& /*context*/, const QString& text) {
  const bool ofPlatform = text.startsWith(QStringLiteral("This plugin does not support")) ||
                          text.startsWith(QStringLiteral("QStandardPaths:"));
  if (!ofPlatform && type != QtDebugMsg) {
    std::fprintf(stderr, "%s\n", qPrintable(text));
  }
}

// Compares with another recording once the document is open.
void compareLater(MainWindow& window, const QString& path) {
  if (!path.isEmpty()) {
    QObject::connect(
        &window.host(), &DocumentHost::presented, &window,
        [&window, path] { window.compareWith(path); },
        static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
  }
}

int picture(MainWindow& window, const Arguments& arguments) {
  // A picture is made without questions, so a large run is opened whole.
  const auto steps = arguments.steps.value_or(std::vector<RankRange>());
  if (!arguments.file.isEmpty() && !window.openPath(arguments.file, arguments.event, steps)) {
    return refuse(window.lastProblem().toStdString());
  }
  window.show();
  const auto taken =
      takePicture(window, arguments.event, arguments.screenshot, arguments.panel, arguments.size);
  return taken ? 0 : refuse(taken.error().message);
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = parseArguments(argc, argv);
  if (!arguments) {
    return refuse(arguments.error().message);
  }
  if (!arguments->output.empty()) {
    std::fputs(arguments->output.c_str(), stdout);
    return 0;
  }
  const bool drawn = !arguments->screenshot.isEmpty();
  if (drawn) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qInstallMessageHandler(quietly);
  } else if (!hasDisplay()) {
    return refuse("no display found; --screenshot OUT.png renders a picture without one");
  }

  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("Shardlens"));
  if (!drawn) {
    Zoom::now().set(Zoom::ofSystem(QFontInfo(QApplication::font()).pixelSize()));
  }
  applyColourScheme(application, arguments->dark ? ColourScheme::Dark : ColourScheme::Light);
  RunFolder::removeAbandoned();
  MainWindow window(drawn ? MainWindow::Memory::Forgets : MainWindow::Memory::Keeps);
  if (arguments->dark) {
    window.useDark(true);
  }
  if (arguments->notation) {
    window.useNotation(*arguments->notation);
  }
  if (arguments->zoom) {
    window.useZoom(*arguments->zoom);
  }
  if (arguments->size.isValid() && arguments->panel.isEmpty()) {
    window.resize(arguments->size);
  }
  compareLater(window, arguments->compare);
  if (drawn) {
    return picture(window, *arguments);
  }
  window.show();
  if (!arguments->file.isEmpty()) {
    window.openPath(arguments->file, arguments->event, arguments->steps);
  }
  return QApplication::exec();
}
