#include "ui/shell/dock_buttons.h"

#include "ui/widgets/paint.h"

#include <QAbstractButton>
#include <QDockWidget>
#include <QHBoxLayout>

namespace shardlens {
namespace {

enum class Sign { Float, Close };

class SignButton final : public QAbstractButton {
 public:
  SignButton(Sign sign, const QString& name, const QString& description) : sign_(sign) {
    setObjectName(name);
    setAccessibleName(description);
    setToolTip(description);
    atEachZoom(this, [this] { setFixedSize(zoomed(18), zoomed(18)); });
    setFocusPolicy(Qt::NoFocus);  // the View menu has the same by keyboard
  }

 protected:
  void enterEvent(QEnterEvent* event) override {
    QAbstractButton::enterEvent(event);
    update();
  }
  void leaveEvent(QEvent* event) override {
    QAbstractButton::leaveEvent(event);
    update();
  }
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    zoom(painter);
    painter.setPen(QPen(underMouse() ? theme().accent : theme().muted, 1.2));
    if (sign_ == Sign::Close) {
      painter.drawLine(QPointF(5.5, 5.5), QPointF(12.5, 12.5));
      painter.drawLine(QPointF(12.5, 5.5), QPointF(5.5, 12.5));
    } else {
      painter.drawRect(QRectF(7.5, 4.5, 6, 6));
      painter.drawPolyline(
          QPolygonF({{7.5, 7.5}, {4.5, 7.5}, {4.5, 13.5}, {10.5, 13.5}, {10.5, 10.5}}));
    }
  }

 private:
  Sign sign_;
};

}  // namespace

DockButtons::DockButtons(QDockWidget* dock) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  auto* floats = new SignButton(Sign::Float, QStringLiteral("float"),
                                tr("Float or dock %1").arg(dock->windowTitle()));
  auto* close =
      new SignButton(Sign::Close, QStringLiteral("close"), tr("Close %1").arg(dock->windowTitle()));
  row->addWidget(floats);
  row->addWidget(close);
  connect(floats, &QAbstractButton::clicked, dock,
          [dock] { dock->setFloating(!dock->isFloating()); });
  connect(close, &QAbstractButton::clicked, dock, &QDockWidget::close);
}

}  // namespace shardlens
