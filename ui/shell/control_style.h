#pragma once

#include <QProxyStyle>

class QStyleOptionMenuItem;

namespace shardlens {

// Fusion with flat boxes, lists and scroll bars. Colours are the theme's and lengths the zoom's
// whenever one asks, so that another look or size polishes no widget anew, as a style sheet would.
// A button says with its property "primary" that it is what one most likely wants, a list with
// "offers" that it is something of its own to choose from.
class ControlStyle final : public QProxyStyle {
  Q_OBJECT

 public:
  ControlStyle();

  using QProxyStyle::polish;
  void polish(QWidget* widget) override;

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override;

  QRect subElementRect(SubElement element, const QStyleOption* option,
                       const QWidget* widget) const override;
  QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                       const QWidget* widget) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                         const QWidget* widget) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option,
                  const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* answer) const override;

  static bool isPrimary(const QWidget* widget);
  static bool isOffering(const QWidget* widget);
  static bool isPopup(const QWidget* widget);  // the frame around the list of a QComboBox

 private:
  static void drawMenuItem(QPainter& painter, const QStyleOptionMenuItem& item);

  static constexpr int kMenuLeft = 22;  // where the check marks are
  static constexpr int kMenuRight = 26;
};

}  // namespace shardlens
