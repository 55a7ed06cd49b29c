// Part of ControlStyle: painting.
#include "ui/scenes/theme.h"
#include "ui/scenes/zoom.h"
#include "ui/shell/control_style.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/paint.h"

#include <QAbstractItemView>
#include <QPushButton>
#include <QStyleOption>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>

namespace shardlens {
namespace {

double corner() { return zoomed(5); }

bool isOn(const QStyleOption& option, QStyle::StateFlag state) {
  return option.state.testFlag(state);
}

// Returns the outline of a control. At most one control has the focus, and only that one has the
// accent, wherever the pointer is.
QColor outlineOf(const QStyleOption& option) {
  const bool isEnabled = isOn(option, QStyle::State_Enabled);
  return isEnabled && isOn(option, QStyle::State_HasFocus)    ? theme().accent
         : isEnabled && isOn(option, QStyle::State_MouseOver) ? theme().muted
                                                              : theme().border;
}

bool isFlat(const QWidget* widget) {
  const auto* button = qobject_cast<const QPushButton*>(widget);
  return button != nullptr && button->isFlat();
}

void box(QPainter& painter, const QRect& rect, double radius, const QColor& fill,
         const QColor& outline) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  drawBox(painter, QRectF(rect), radius, fill, outline);
  painter.restore();
}

// Draws the frame of menus and tooltips.
void drawFrame(QPainter& painter, const QRect& rect) {
  painter.fillRect(rect, theme().border);
  painter.fillRect(rect.adjusted(1, 1, -1, -1), theme().card);
}

void drawButton(QPainter& painter, const QStyleOption& option, const QWidget* widget) {
  const Theme& colours = theme();
  const bool isDown = isOn(option, QStyle::State_Sunken) || isOn(option, QStyle::State_On);
  QColor fill = isDown ? colours.accentSoft : colours.card;
  QColor outline = outlineOf(option);
  if (!isOn(option, QStyle::State_Enabled)) {
    fill = colours.inset;
  } else if (ControlStyle::isPrimary(widget)) {
    fill = outline = colours.accent;
  }
  box(painter, option.rect, corner(), fill, outline);
}

QColor buttonText(const QStyleOption& option, const QWidget* widget) {
  const Theme& colours = theme();
  if (!isOn(option, QStyle::State_Enabled)) {
    return colours.muted;
  }
  if (ControlStyle::isPrimary(widget)) {
    return option.palette.color(QPalette::HighlightedText);
  }
  if (isFlat(widget)) {
    return isOn(option, QStyle::State_MouseOver) ? colours.accent : colours.muted;
  }
  return colours.text;
}

// Returns a copy of the option with one colour replaced, for painting by Fusion.
template <typename Option>
Option toned(const QStyleOption& option, QPalette::ColorRole role, const QColor& colour) {
  Option copy = *qstyleoption_cast<const Option*>(&option);
  copy.palette.setColor(role, colour);
  return copy;
}

void drawCheck(QPainter& painter, const QStyleOption& option) {
  const QColor& colour = theme().bad;
  const bool isSet = isOn(option, QStyle::State_On);
  box(painter, option.rect, zoomed(3), isSet ? colour : QColor(), colour);
}

void drawTab(QPainter& painter, const QStyleOption& tab) {
  if (isOn(tab, QStyle::State_Selected)) {
    painter.fillRect(QRect(tab.rect.left(), tab.rect.bottom() - 1, tab.rect.width(), 2),
                     theme().accent);
  }
}

// Returns true if a bar shows the whole tab. The text of another tab is not drawn, so that no text
// is cut: the bar's buttons scroll to it.
bool isWholeTab(const QStyleOption& tab, const QWidget* widget) {
  const auto* bar = qobject_cast<const QTabBar*>(widget);
  if (bar == nullptr) {
    return true;
  }
  int right = bar->width();
  for (const auto* button :
       bar->findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (!button->isVisible()) continue;
    right = std::min(right, button->x());
  }
  return tab.rect.left() >= 0 && tab.rect.right() < right;
}

// A tab may have a colour of its own, which is not used while the tab is selected.
QColor tabText(const QStyleOption& tab) {
  const Theme& colours = theme();
  const QColor own = tab.palette.color(QPalette::WindowText);
  const QColor& still = isOn(tab, QStyle::State_Selected) ? colours.text
                        : own == colours.text             ? colours.muted
                                                          : own;
  return isOn(tab, QStyle::State_MouseOver) ? colours.accent : still;
}

void drawCombo(QPainter& painter, const QStyleOptionComplex& combo, const QStyle& style,
               const QWidget* widget) {
  const Theme& colours = theme();
  box(painter, combo.rect, corner(), colours.card, outlineOf(combo));
  const QRect room =
      style.subControlRect(QStyle::CC_ComboBox, &combo, QStyle::SC_ComboBoxArrow, widget);
  const int side = zoomed(10);
  painter.drawPixmap(room.center() - QPoint(side / 2, side / 2) + QPoint(1, 1),
                     tintedIcon(QStringLiteral("chevron"), colours.muted, side,
                                painter.device()->devicePixelRatioF()));
}

void drawScrollBar(QPainter& painter, const QStyleOptionComplex& bar, const QStyle& style,
                   const QWidget* widget) {
  const QRect handle =
      style.subControlRect(QStyle::CC_ScrollBar, &bar, QStyle::SC_ScrollBarSlider, widget);
  const int margin = zoomed(1);
  const bool isOver = isOn(bar, QStyle::State_MouseOver) &&
                      bar.activeSubControls.testFlag(QStyle::SC_ScrollBarSlider);
  box(painter, handle.adjusted(margin, margin, -margin, -margin), zoomed(4),
      isOver ? theme().muted : theme().border, QColor());
}

}  // namespace

void ControlStyle::drawMenuItem(QPainter& painter, const QStyleOptionMenuItem& item) {
  const Theme& colours = theme();
  if (item.menuItemType == QStyleOptionMenuItem::Separator) {
    const int margin = zoomed(6);
    painter.fillRect(
        QRect(item.rect.left() + margin, item.rect.center().y(), item.rect.width() - 2 * margin, 1),
        colours.border);
    return;
  }
  const bool isEnabled = isOn(item, QStyle::State_Enabled);
  if (isEnabled && isOn(item, QStyle::State_Selected)) {
    box(painter, item.rect, zoomed(4), colours.accentSoft, QColor());
  }
  const int left = zoomed(kMenuLeft);
  const int right = zoomed(kMenuRight);
  painter.save();
  painter.setFont(item.font);
  painter.setPen(isEnabled ? colours.text : colours.muted);
  const auto write = [&](const QRect& rect, int alignment, const QString& text) {
    painter.drawText(
        QStyle::visualRect(item.direction, item.rect, rect),
        static_cast<int>(QStyle::visualAlignment(item.direction, Qt::Alignment(alignment))) |
            Qt::TextSingleLine | Qt::TextShowMnemonic,
        text);
  };
  const QRect text = item.rect.adjusted(left, 0, -right, 0);
  const QStringList parts = item.text.split(u'\t');
  write(text, Qt::AlignLeft | Qt::AlignVCenter, parts.front());
  if (parts.size() > 1) {
    write(text, Qt::AlignRight | Qt::AlignVCenter, parts.back());
  }
  if (item.checkType != QStyleOptionMenuItem::NotCheckable && item.checked) {
    write(QRect(item.rect.left(), item.rect.top(), left, item.rect.height()), Qt::AlignCenter,
          QStringLiteral("✓"));
  }
  if (item.menuItemType == QStyleOptionMenuItem::SubMenu) {
    write(QRect(text.right(), item.rect.top(), right, item.rect.height()), Qt::AlignCenter,
          QStringLiteral("›"));
  }
  painter.restore();
}

void ControlStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                                 QPainter* painter, const QWidget* widget) const {
  const Theme& colours = theme();
  switch (element) {
    case PE_PanelButtonCommand:
    case PE_PanelButtonTool:
      return drawButton(*painter, *option, widget);
    case PE_PanelLineEdit:
      if (isInCombo(widget)) {
        return;
      }
      return box(*painter, option->rect, corner(), colours.card, outlineOf(*option));
    case PE_PanelTipLabel:
    case PE_PanelMenu:
      return drawFrame(*painter, option->rect);
    case PE_IndicatorItemViewItemCheck:
      return drawCheck(*painter, *option);
    case PE_PanelItemViewItem:
      if (isOn(*option, State_Selected)) {
        painter->fillRect(option->rect, colours.accentSoft);
      }
      return;
    case PE_Frame:
      if (isOffering(widget) || isPopup(widget)) {
        return drawFrame(*painter, option->rect);
      }
      if (qobject_cast<const QAbstractItemView*>(widget) != nullptr) {
        return;
      }
      break;
    case PE_FrameFocusRect:
      if (isFlat(widget)) {
        box(*painter, widget->rect(), corner(), QColor(), colours.accent);
      }
      return;
    case PE_FrameLineEdit:
    case PE_FrameMenu:
    case PE_FrameTabBarBase:
    case PE_IndicatorDockWidgetResizeHandle:
    case PE_PanelScrollAreaCorner:
    case PE_PanelMenuBar:
      return;
    default:
      break;
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void ControlStyle::drawControl(ControlElement element, const QStyleOption* option,
                               QPainter* painter, const QWidget* widget) const {
  const Theme& colours = theme();
  switch (element) {
    case CE_PushButtonLabel: {
      const auto label =
          toned<QStyleOptionButton>(*option, QPalette::ButtonText, buttonText(*option, widget));
      return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    case CE_ToolButtonLabel: {
      const auto label =
          toned<QStyleOptionToolButton>(*option, QPalette::ButtonText, colours.muted);
      return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    case CE_HeaderLabel: {
      const auto label = toned<QStyleOptionHeader>(*option, QPalette::ButtonText, colours.muted);
      return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    case CE_TabBarTabLabel: {
      if (!isWholeTab(*option, widget)) return;
      const auto label = toned<QStyleOptionTab>(*option, QPalette::WindowText, tabText(*option));
      return QProxyStyle::drawControl(element, &label, painter, widget);
    }
    case CE_ItemViewItem: {
      const auto item =
          toned<QStyleOptionViewItem>(*option, QPalette::HighlightedText, colours.text);
      return QProxyStyle::drawControl(element, &item, painter, widget);
    }
    case CE_MenuBarItem: {
      const auto item = toned<QStyleOptionMenuItem>(*option, QPalette::ButtonText, colours.text);
      if (isOn(*option, State_Selected)) {
        box(*painter, option->rect, zoomed(4), colours.accentSoft, QColor());
      }
      return drawItemText(painter, item.rect, Qt::AlignCenter | Qt::TextShowMnemonic, item.palette,
                          isOn(*option, State_Enabled), item.text, QPalette::ButtonText);
    }
    case CE_MenuItem:
      return drawMenuItem(*painter, *qstyleoption_cast<const QStyleOptionMenuItem*>(option));
    case CE_TabBarTabShape:
      return drawTab(*painter, *option);
    case CE_MenuBarEmptyArea:
    case CE_MenuEmptyArea:
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
    case CE_ProgressBarGroove:
      return;
    default:
      QProxyStyle::drawControl(element, option, painter, widget);
  }
}

void ControlStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                      QPainter* painter, const QWidget* widget) const {
  switch (control) {
    case CC_ComboBox:
      return drawCombo(*painter, *option, *proxy(), widget);
    case CC_ScrollBar:
      return drawScrollBar(*painter, *option, *proxy(), widget);
    default:
      QProxyStyle::drawComplexControl(control, option, painter, widget);
  }
}

}  // namespace shardlens
