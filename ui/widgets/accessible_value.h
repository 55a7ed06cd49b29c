#pragma once

class QString;
class QWidget;

namespace shardlens {

// Reports the item at the keyboard cursor of a drawing to screen readers: a description, "rank 1,
// local [1, 1]", and a value, "-0.97". Only MeshCanvas and ShardsCanvas report the value. Empty
// texts mean that there is no item.
void setAccessibleCurrent(QWidget& drawing, const QString& description, const QString& value);

}  // namespace shardlens
