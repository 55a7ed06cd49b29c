#include "ui/pages/handbook_text.h"

#include "core/handbook/markdown.h"
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QEvent>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QScrollBar>

namespace shardlens {
namespace {

constexpr int kWidestPicture = 640;

// Returns a style sheet in the subset of CSS that QTextDocument supports.
QString pageStyle() {
  const Theme& colours = theme();
  return QStringLiteral(
             "a { color: %1; text-decoration: none; }"
             "code { font-family: '%2'; background-color: %3; }"
             "pre { font-family: '%2'; background-color: %3; margin-left: 8px; }"
             "pre code { font-size: %5px; }"
             "th { background-color: %3; padding: 4px 8px; text-align: left; }"
             "td { padding: 4px 8px; }"
             "h1, h2, h3 { color: %4; }")
      .arg(colours.accent.name(), codeFont().family(), colours.inset.name(), colours.text.name(),
           QString::number(zoomed(11)));
}

QString pageOf(const QString& markdown) {
  const auto page =
      readMarkdown(markdown.toStdString(), [](const std::string& link) { return link; });
  QString html = QString::fromStdString(page.html);
  // QTextDocument would show the last line end as an empty line.
  html.replace(QStringLiteral("\n</code></pre>"), QStringLiteral("</code></pre>"));
  html.replace(QStringLiteral("<table>"),
               QStringLiteral("<table border=\"1\" cellspacing=\"0\" style=\"border-collapse: "
                              "collapse; border-color: %1;\">")
                   .arg(theme().border.name()));
  return html;
}

}  // namespace

HandbookText::HandbookText(QWidget* parent) : QTextBrowser(parent) {
  setObjectName(QStringLiteral("handbookText"));
  setAccessibleName(tr("Handbook page"));
  setFrameShape(QFrame::NoFrame);
  setOpenLinks(false);
  document()->setDocumentMargin(18);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    const QUrl target = source().resolved(link);
    if (target.isLocalFile()) {
      showFile(target);
    } else {
      Q_EMIT linkFollowed(target);
    }
  });
  atEachZoom(this, [this] {
    document()->setDefaultFont(zoomed(textFont(13)));
    restyle();
  });
}

// The type is given because QTextBrowser would read Markdown itself, without anchors of headings.
void HandbookText::showFile(const QUrl& file) { setSource(file, QTextDocument::HtmlResource); }

QVariant HandbookText::loadResource(int type, const QUrl& url) {
  const QUrl whole = source().resolved(url);
  QFile file(whole.toLocalFile());
  const bool isRead = file.open(QIODevice::ReadOnly);
  if (type == QTextDocument::ImageResource) {
    const QImage picture = QImage::fromData(isRead ? file.readAll() : QByteArray());
    const int widest = zoomed(kWidestPicture);
    return picture.width() <= widest ? picture
                                     : picture.scaledToWidth(widest, Qt::SmoothTransformation);
  }
  if (type != QTextDocument::HtmlResource) {
    return QTextBrowser::loadResource(type, url);
  }
  if (!isRead) {
    return tr("<p>%1 cannot be read: %2.</p>")
        .arg(whole.toLocalFile().toHtmlEscaped(), file.errorString().toHtmlEscaped());
  }
  const QString text = QString::fromUtf8(file.readAll());
  return QFileInfo(file).suffix() == QStringLiteral("md")
             ? pageOf(text)
             : QStringLiteral("<pre>%1</pre>").arg(text.toHtmlEscaped());
}

void HandbookText::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) {
    restyle();
  }
}

// Colours are part of the document, so it is read again.
void HandbookText::restyle() {
  document()->setDefaultStyleSheet(pageStyle());
  if (!source().isEmpty()) {
    const int place = verticalScrollBar()->value();
    reload();
    verticalScrollBar()->setValue(place);
  }
}

}  // namespace shardlens
