#include "ui/widgets/note_box.h"

#include "ui/scenes/colour.h"
#include "ui/widgets/paint.h"

#include <QLabel>
#include <QVBoxLayout>
#include <utility>

namespace shardlens {

NoteBox::NoteBox(const QString& name, QWidget* parent) : QWidget(parent), label_(new QLabel) {
  label_->setObjectName(name);
  atEachZoom(label_, [this] { label_->setFont(zoomed(textFont(11))); });
  label_->setWordWrap(true);
  label_->setTextFormat(Qt::RichText);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(11, 8, 11, 8);
  layout->addWidget(label_);
}

void NoteBox::setText(Kind kind, const QString& richText) {
  kind_ = kind;
  label_->setText(richText);
  update();
}

QString NoteBox::text() const { return label_->text(); }

void NoteBox::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const auto [soft, loud] = kind_ == Kind::Good      ? std::pair(theme().goodSoft, theme().good)
                            : kind_ == Kind::Warning ? std::pair(theme().warnSoft, theme().warn)
                            : kind_ == Kind::Problem ? std::pair(theme().badSoft, theme().bad)
                                                     : std::pair(theme().inset, theme().muted);
  drawBox(painter, rect(), 5, soft, mixed(soft, loud, 0.35));
}

}  // namespace shardlens
