#include "ui/widgets/accessible_value.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QCoreApplication>
#include <QVariant>
#include <array>

namespace shardlens {
namespace {

constexpr const char* kValue = "accessibleValue";
constexpr std::array kDrawings{"shardlens::MeshCanvas", "shardlens::ShardsCanvas"};

class ValuedDrawing final : public QAccessibleWidget {
 public:
  explicit ValuedDrawing(QWidget* drawing) : QAccessibleWidget(drawing, QAccessible::Graphic) {}

  QString text(QAccessible::Text kind) const override {
    return kind == QAccessible::Value ? object()->property(kValue).toString()
                                      : QAccessibleWidget::text(kind);
  }
};

QAccessibleInterface* makeInterface(const QString& type, QObject* object) {
  for (const char* drawing : kDrawings) {
    if (type == QLatin1String(drawing)) {
      return new ValuedDrawing(static_cast<QWidget*>(object));
    }
  }
  return nullptr;
}

// Installs the factory before any drawing exists, because Qt caches the first interface of a widget
// and a screen reader may request it as soon as the widget is shown.
void install() { QAccessible::installFactory(makeInterface); }
Q_COREAPP_STARTUP_FUNCTION(install)

}  // namespace

void setAccessibleCurrent(QWidget& drawing, const QString& description, const QString& value) {
  drawing.setAccessibleDescription(description);
  if (drawing.property(kValue).toString() != value) {
    drawing.setProperty(kValue, value);
    QAccessibleValueChangeEvent changed(&drawing, value);
    QAccessible::updateAccessibility(&changed);
  }
}

}  // namespace shardlens
