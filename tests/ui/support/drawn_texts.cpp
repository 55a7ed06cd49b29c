#include "tests/ui/support/drawn_texts.h"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>

namespace shardlens {
namespace {

// Records the texts and draws nothing.
class TextEngine final : public QPaintEngine {
 public:
  TextEngine() : QPaintEngine(AllFeatures) {}
  bool begin(QPaintDevice* /*device*/) override { return true; }
  bool end() override { return true; }
  void updateState(const QPaintEngineState& state) override {
    if ((state.state() & DirtyTransform) != 0) transform_ = state.transform();
    if ((state.state() & (DirtyClipRegion | DirtyClipPath | DirtyClipEnabled)) != 0) {
      hasClip_ = state.isClipEnabled() && painter()->hasClipping();
    }
  }
  void drawPixmap(const QRectF& /*rect*/, const QPixmap& /*map*/, const QRectF& /*from*/) override {
  }
  void drawPath(const QPainterPath& /*path*/) override {}
  void drawPolygon(const QPointF* /*points*/, int /*count*/, PolygonDrawMode /*mode*/) override {}
  void drawImage(const QRectF& /*rect*/, const QImage& /*image*/, const QRectF& /*from*/,
                 Qt::ImageConversionFlags /*flags*/) override {}
  void drawTextItem(const QPointF& place, const QTextItem& item) override {
    const QRectF box(place.x(), place.y() - item.ascent(), item.width(),
                     item.ascent() + item.descent());
    QRectF rect = transform_.mapRect(box);
    if (hasClip_) rect &= transform_.mapRect(painter()->clipBoundingRect());
    if (!systemClip().isEmpty()) rect &= QRectF(systemClip().boundingRect());
    if (rect.width() >= 1 && rect.height() >= 1) texts.push_back({item.text(), rect});
  }
  Type type() const override { return User; }

  std::vector<DrawnText> texts;

 private:
  QTransform transform_;
  bool hasClip_ = false;
};

class TextDevice final : public QPaintDevice {
 public:
  explicit TextDevice(QSize size) : size_(size) {}
  QPaintEngine* paintEngine() const override { return &engine; }
  mutable TextEngine engine;

 protected:
  int metric(PaintDeviceMetric metric) const override {
    constexpr int kDpi = 96;
    switch (metric) {
      case PdmWidth:
        return size_.width();
      case PdmHeight:
        return size_.height();
      case PdmDevicePixelRatio:
        return 1;
      case PdmDevicePixelRatioScaled:
        return static_cast<int>(devicePixelRatioFScale());
      case PdmDepth:
        return 32;
      default:
        return kDpi;
    }
  }

 private:
  QSize size_;
};

}  // namespace

std::vector<DrawnText> drawnTexts(QWidget& widget) {
  TextDevice device(widget.size());
  widget.render(&device);
  return std::move(device.engine.texts);
}

std::string overlapIn(const std::vector<DrawnText>& texts) {
  constexpr double kTouching = 2;  // pixels by which the boxes of apart glyphs may overlap
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = i + 1; j < texts.size(); ++j) {
      const QRectF both = texts[i].rect & texts[j].rect;
      if (both.width() > kTouching && both.height() > 2 * kTouching) {
        return texts[i].text.toStdString() + " over " + texts[j].text.toStdString();
      }
    }
  }
  return {};
}

}  // namespace shardlens
