#include "ui/panels/note_box.h"

#include "ui/panels/paint.h"
#include "ui/scenes/colour.h"

#include <QLabel>
#include <QVBoxLayout>

namespace shardlens {

NoteBox::NoteBox(const QString& name, QWidget* parent) : QWidget(parent), label_(new QLabel) {
  label_->setObjectName(name);
  label_->setFont(textFont(11));
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
  const bool good = kind_ == Kind::Good;
  const QColor soft = good ? theme().goodSoft : theme().warnSoft;
  drawBox(painter, rect(), 5, soft, mixed(soft, good ? theme().good : theme().warn, 0.35));
}

}  // namespace shardlens
