#pragma once

class QString;
class QWidget;

namespace shardlens {

// Reports the item at the keyboard cursor of a drawing to screen readers: a description, "rank 1,
// local [1, 1]", and a value, "-0.97". The value is available only for the widget classes listed in
// accessible_value.cpp.
void setAccessibleCurrent(QWidget& drawing, const QString& description, const QString& value);

}  // namespace shardlens
