#pragma once

class QString;
class QWidget;

namespace shardlens {

// What a drawing has at the keyboard, as a screen reader says it: what it is, "rank 1, local
// [1, 1]", and its value, "-0.97". Its class is one of those that accessible_value.cpp names.
void setAccessibleCurrent(QWidget& drawing, const QString& what, const QString& value);

}  // namespace shardlens
