#pragma once

#include <QProxyStyle>

class QStyleOptionMenuItem;

namespace shardlens {

// The style of the program: Fusion with flat boxes, lists and scroll bars. Reads colours from
// theme() and lengths from the zoom on each use, so that a change of either does not polish every
// widget again, as a style sheet would.
// The property "primary" emphasises a button. The property "offers" gives a list a frame and a
// background, for lists of choices.
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

  static bool isPrimary(const QWidget* widget);   // has the property "primary"
  static bool isOffering(const QWidget* widget);  // has the property "offers"
  static bool isPopup(const QWidget* widget);     // the frame around the list of a QComboBox
  static bool isInCombo(const QWidget* widget);   // the line edit of a QComboBox

 private:
  static void drawMenuItem(QPainter& painter, const QStyleOptionMenuItem& item);

  static constexpr int kMenuLeft = 22;  // width of the column of check marks
  static constexpr int kMenuRight = 26;
};

}  // namespace shardlens
