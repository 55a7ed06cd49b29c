#include "ui/shell/control_style.h"

#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QLineEdit>
#include <QMainWindow>
#include <QPushButton>
#include <QScrollArea>
#include <QStyleOption>
#include <QTabBar>
#include <algorithm>

namespace shardlens {
namespace {

constexpr int kLineWidth = 1;  // width of a border, at any zoom
constexpr int kTabLine = 2;    // height of the line below the selected tab
constexpr int kComboArrow = 22;
constexpr int kLeastHandle = 24;  // least length of a scroll bar's handle

struct Padding {
  int across;
  int along;
};
constexpr Padding kButton{13, 4};
constexpr Padding kToolButton{8, 2};
constexpr Padding kCombo{8, 2};
constexpr Padding kLineEdit{8, 4};
constexpr Padding kMenuBarItem{9, 5};
constexpr Padding kTab{12, 4};
constexpr int kLeastTab = 4;  // padding across, where tabs are many

QSize framed(const QSize& contents, Padding padding) {
  return contents +
         2 * QSize(zoomed(padding.across) + kLineWidth, zoomed(padding.along) + kLineWidth);
}

QRect inside(const QRect& frame, Padding padding) {
  const int across = zoomed(padding.across) + kLineWidth;
  const int along = zoomed(padding.along) + kLineWidth;
  return frame.adjusted(across, along, -across, -along);
}

// Returns the padding beside the text of a tab. It is smaller in a bar of docks that could not show
// all its tabs otherwise.
int besideTabText(const QTabBar* bar) {
  if (bar == nullptr || qobject_cast<QMainWindow*>(bar->parentWidget()) == nullptr ||
      bar->count() == 0) {
    return zoomed(kTab.across);
  }
  int room = bar->width();
  for (int tab = 0; tab < bar->count(); ++tab) {
    room -= bar->fontMetrics().size(Qt::TextShowMnemonic, bar->tabText(tab)).width();
  }
  return std::clamp(room / (2 * bar->count()), zoomed(kLeastTab), zoomed(kTab.across));
}

QRect comboPart(const QStyleOptionComplex& option, QStyle::SubControl part) {
  const int arrow = zoomed(kComboArrow);
  QRect rect = option.rect;
  if (part == QStyle::SC_ComboBoxArrow) {
    rect.setLeft(rect.right() + 1 - arrow - kLineWidth);
  } else if (part == QStyle::SC_ComboBoxEditField) {
    rect = inside(rect, kCombo);
    rect.setRight(option.rect.right() - arrow - kLineWidth);
  }
  return QStyle::visualRect(option.direction, option.rect, rect);
}

// The parts of a scroll bar without buttons at its ends.
QRect scrollBarPart(const QStyleOptionSlider& bar, QStyle::SubControl part) {
  const bool isHorizontal = bar.orientation == Qt::Horizontal;
  const int length = isHorizontal ? bar.rect.width() : bar.rect.height();
  const qint64 range = qint64{bar.maximum} - bar.minimum;
  const auto share = length * qint64{bar.pageStep} / std::max<qint64>(range + bar.pageStep, 1);
  const int least = std::min(zoomed(kLeastHandle), length);
  const int handle = range == 0 ? length : std::clamp(static_cast<int>(share), least, length);
  const int start = QStyle::sliderPositionFromValue(bar.minimum, bar.maximum, bar.sliderPosition,
                                                    length - handle, bar.upsideDown);
  const auto along = [&](int from, int size) {
    const QRect& whole = bar.rect;
    const QRect rect = isHorizontal ? QRect(whole.x() + from, whole.y(), size, whole.height())
                                    : QRect(whole.x(), whole.y() + from, whole.width(), size);
    return QStyle::visualRect(bar.direction, whole, rect);
  };
  switch (part) {
    case QStyle::SC_ScrollBarSlider:
      return along(start, handle);
    case QStyle::SC_ScrollBarGroove:
      return along(0, length);
    case QStyle::SC_ScrollBarSubPage:
      return along(0, start);
    case QStyle::SC_ScrollBarAddPage:
      return along(start + handle, length - start - handle);
    default:
      return {};
  }
}

}  // namespace

ControlStyle::ControlStyle() : QProxyStyle(QStringLiteral("fusion")) {}

bool ControlStyle::isPrimary(const QWidget* widget) {
  return widget != nullptr && widget->property("primary").toBool();
}

bool ControlStyle::isOffering(const QWidget* widget) {
  return widget != nullptr && widget->property("offers").toBool();
}

bool ControlStyle::isPopup(const QWidget* widget) {
  return widget != nullptr && qobject_cast<const QComboBox*>(widget->parentWidget()) != nullptr &&
         qobject_cast<const QFrame*>(widget) != nullptr;
}

bool ControlStyle::isInCombo(const QWidget* widget) {
  return qobject_cast<const QLineEdit*>(widget) != nullptr &&
         qobject_cast<const QComboBox*>(widget->parentWidget()) != nullptr;
}

void ControlStyle::polish(QWidget* widget) {
  QProxyStyle::polish(widget);
  if (isPrimary(widget)) {
    QFont bold = widget->font();
    bold.setResolveMask(0);
    bold.setBold(true);
    widget->setFont(bold);
  }
  if (qobject_cast<QLineEdit*>(widget) != nullptr) {
    widget->setAttribute(Qt::WA_Hover);
  }
  if (auto* tabs = qobject_cast<QTabBar*>(widget)) {
    tabs->setDrawBase(false);
  }
  // Makes views on a card transparent.
  if (auto* view = qobject_cast<QAbstractItemView*>(widget);
      view != nullptr && !isOffering(view) && !isPopup(view->parentWidget())) {
    view->viewport()->setAutoFillBackground(false);
  }
  if (auto* area = qobject_cast<QScrollArea*>(widget)) {
    area->viewport()->setAutoFillBackground(false);
    if (area->widget() != nullptr) {
      area->widget()->setAutoFillBackground(false);
    }
  }
}

QRect ControlStyle::subElementRect(SubElement element, const QStyleOption* option,
                                   const QWidget* widget) const {
  if (element == SE_LineEditContents && isInCombo(widget)) {
    return option->rect;
  }
  if (element == SE_LineEditContents && qobject_cast<const QLineEdit*>(widget) != nullptr) {
    return inside(option->rect, kLineEdit);
  }
  return QProxyStyle::subElementRect(element, option, widget);
}

QRect ControlStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                   SubControl part, const QWidget* widget) const {
  if (control == CC_ComboBox && part != SC_ComboBoxListBoxPopup) {
    return comboPart(*option, part);
  }
  if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
      control == CC_ScrollBar && bar != nullptr) {
    return scrollBarPart(*bar, part);
  }
  return QProxyStyle::subControlRect(control, option, part, widget);
}

QSize ControlStyle::sizeFromContents(ContentsType type, const QStyleOption* option,
                                     const QSize& contents, const QWidget* widget) const {
  constexpr int kLeastCombo = 18;
  switch (type) {
    case CT_PushButton:
      return framed(contents, kButton);
    case CT_ToolButton:
      return framed(contents, kToolButton);
    case CT_ComboBox:
      return framed(contents.expandedTo({0, zoomed(kLeastCombo)}), kCombo) +
             QSize(zoomed(kComboArrow), 0);
    case CT_LineEdit:
      return framed(contents, kLineEdit);
    case CT_ItemViewItem:
      if (widget != nullptr && isPopup(widget->parentWidget())) {
        return QProxyStyle::sizeFromContents(type, option, contents, widget) +
               QSize(0, 2 * zoomed(2));
      }
      break;
    case CT_MenuBarItem:
      return contents + 2 * QSize(zoomed(kMenuBarItem.across), zoomed(kMenuBarItem.along));
    case CT_TabBarTab:
      return contents;
    case CT_MenuItem:
      if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
        if (item->menuItemType == QStyleOptionMenuItem::Separator) {
          return {contents.width(), kLineWidth + 2 * zoomed(5)};
        }
        const int beforeKey = item->text.contains(u'\t') ? zoomed(12) : 0;
        return contents + QSize(zoomed(kMenuLeft) + beforeKey + zoomed(kMenuRight), 2 * zoomed(5));
      }
      break;
    default:
      break;
  }
  return QProxyStyle::sizeFromContents(type, option, contents, widget);
}

int ControlStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                              const QWidget* widget) const {
  switch (metric) {
    case PM_DefaultFrameWidth:
      if (isOffering(widget) || isPopup(widget)) {
        return zoomed(4) + kLineWidth;
      }
      if (qobject_cast<const QAbstractItemView*>(widget) != nullptr) {
        return 0;
      }
      break;
    case PM_DockWidgetSeparatorExtent:
      return zoomed(8);
    case PM_ScrollBarExtent:
      return zoomed(10);
    case PM_ScrollBarSliderMin:
      return zoomed(kLeastHandle);
    case PM_MenuPanelWidth:
      return kLineWidth;
    case PM_MenuHMargin:
    case PM_MenuVMargin:
      return zoomed(5);
    case PM_MenuBarHMargin:
    case PM_MenuBarVMargin:
    case PM_MenuBarItemSpacing:
    case PM_MenuBarPanelWidth:
    case PM_TabBarBaseHeight:
    case PM_TabBarBaseOverlap:
    case PM_TabBarTabOverlap:
    case PM_TabBarTabShiftVertical:
      return 0;
    case PM_TabBarTabHSpace:
      return 2 * besideTabText(qobject_cast<const QTabBar*>(widget));
    case PM_TabBarTabVSpace:
      return 2 * zoomed(kTab.along) + kTabLine;
    case PM_HeaderMargin:
      return zoomed(6);
    case PM_ToolTipLabelFrameWidth:
      return kLineWidth + zoomed(5);
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
      if (qobject_cast<const QAbstractItemView*>(widget) != nullptr) {
        return zoomed(11) + 2 * kLineWidth;
      }
      break;
    default:
      break;
  }
  return QProxyStyle::pixelMetric(metric, option, widget);
}

int ControlStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                            QStyleHintReturn* answer) const {
  switch (hint) {
    case SH_ComboBox_Popup:
      return 0;  // a list below the box, not a menu over it
    case SH_Menu_Mask:
      return 0;
    default:
      return QProxyStyle::styleHint(hint, option, widget, answer);
  }
}

}  // namespace shardlens
