// The main() of all window tests. Creates one QApplication without a display, and fails a test in
// which Qt logs a warning.
#include <gmock/gmock.h>

#include <QApplication>
#include <QString>

namespace {

void failOnWarning(QtMsgType type, const QMessageLogContext& /*context*/, const QString& text) {
  // The offscreen platform warns about window hints that it does not support.
  const bool ofPlatform = text.startsWith(QStringLiteral("This plugin does not support"));
  const bool bad = type == QtWarningMsg || type == QtCriticalMsg;
  if (bad && !ofPlatform) {
    ADD_FAILURE() << "Qt warned: " << qPrintable(text);
  } else {
    fprintf(stderr, "%s\n", qPrintable(text));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  testing::InitGoogleMock(&argc, argv);
  const QApplication application(argc, argv);
  qInstallMessageHandler(failOnWarning);
  return RUN_ALL_TESTS();
}
