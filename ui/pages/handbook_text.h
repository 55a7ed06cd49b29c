#pragma once

#include <QTextBrowser>

namespace shardlens {

// Shows Markdown pages and other text files. Links to files are followed; the remaining links are
// reported.
class HandbookText final : public QTextBrowser {
  Q_OBJECT

 public:
  explicit HandbookText(QWidget* parent = nullptr);
  // Shows a local file, scrolled to the fragment of the URL: Markdown if it ends in .md, else plain
  // text. Shows an error in its place if it cannot be read.
  void showFile(const QUrl& file);

 Q_SIGNALS:
  // The user followed a link that is not a file: "command:step", "gallery:NAME", "https://...".
  void linkFollowed(const QUrl& link);

 protected:
  QVariant loadResource(int type, const QUrl& url) override;
  void changeEvent(QEvent* event) override;

 private:
  void restyle();
};

}  // namespace shardlens
