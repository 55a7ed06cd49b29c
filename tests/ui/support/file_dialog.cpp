#include "tests/ui/support/file_dialog.h"

#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QTimer>

namespace shardlens {

void chooseInFileDialogs(Window& on, const QString& path) {
  auto* timer = new QTimer(&on.window);
  QObject::connect(timer, &QTimer::timeout, timer, [&on, timer, path] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr) {
      return;
    }
    timer->stop();
    on.window.setProperty(kFileDialogTitle, dialog->windowTitle());
    auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    name->setText(path);
    QMetaObject::invokeMethod(dialog, "accept");
  });
  timer->start(10);
}

}  // namespace shardlens
