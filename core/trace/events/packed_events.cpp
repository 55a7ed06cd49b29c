#include "core/trace/events/packed_events.h"

#include "core/base/check.h"
#include "core/base/little_endian.h"
#include "core/trace/events/zstd_context.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>

namespace shardlens {

namespace {

// The base that a column's differences are taken to. For fields that repeat from step to step
// (names, sizes), zstd finds the repetition in the values; for counters, in their differences.
enum class Base { Zero, EventBefore, OwnId };
// The order of the events in a column. Events of one kind have similar values, so ordering by kind
// compresses better.
enum class Order { ById, ByKind };

template <auto kField, Base kBase, Order kOrder = Order::ById>
struct Column {};

using Residuals = std::array<std::uint64_t, kBlockEvents>;

// Maps small differences of either sign to small numbers.
std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
template <class Number>
std::make_signed_t<Number> unzigzag(Number residual) {
  return static_cast<std::make_signed_t<Number>>((residual >> 1) ^ (0 - (residual & 1)));
}

// The order of a block's events: by id, or stably sorted by kind.
class Places {
 public:
  void orderByKind(std::span<const Event> events) {
    std::array<std::uint16_t, 257> first{};
    for (const Event& event : events) ++first[static_cast<std::uint8_t>(event.kind) + 1U];
    for (std::size_t kind = 1; kind < first.size(); ++kind) first[kind] += first[kind - 1];
    for (std::size_t i = 0; i < events.size(); ++i) {
      byKind_[first[static_cast<std::uint8_t>(events[i].kind)]++] = static_cast<std::uint16_t>(i);
    }
  }
  template <Order kOrder>
  std::size_t at(std::size_t i) const {
    return kOrder == Order::ByKind ? byKind_[i] : i;
  }

 private:
  std::array<std::uint16_t, kBlockEvents> byKind_{};
};

// Appends a column: its width, 0 to 8, then that many planes of one byte per event, lowest bytes
// first.
void putPlanes(std::vector<std::byte>& into, std::span<const std::uint64_t> residuals,
               int leastWidth = 0) {
  std::uint64_t all = 0;
  for (const std::uint64_t residual : residuals) all |= residual;
  const int width = std::max(static_cast<int>(std::bit_width(all) + 7) / 8, leastWidth);
  const std::size_t begin = into.size();
  into.resize(begin + 1 + static_cast<std::size_t>(width) * residuals.size());
  into[begin] = static_cast<std::byte>(width);
  std::byte* to = into.data() + begin + 1;
  for (int plane = 0; plane < width; ++plane) {
    for (const std::uint64_t residual : residuals) {
      *to++ = static_cast<std::byte>(residual >> (8 * plane));
    }
  }
}

// Numbers decoded per pass: few enough for the first-level cache, which a column of a whole block
// would exceed.
constexpr std::size_t kTogether = 128;

// Calls use(from, to) for consecutive chunks of `count` numbers.
template <class Use>
void eachTogether(std::size_t count, const Use& use) {
  for (std::size_t from = 0; from < count; from += kTogether) {
    use(from, std::min(count, from + kTogether));
  }
}

// The encoded planes of one column of `count` numbers.
struct Planes {
  const std::byte* bytes = nullptr;
  std::size_t width = 0;
  std::size_t count = 0;

  // Decodes the differences [from, to) and passes them to `use`, as an array of 32-bit numbers if
  // the column has at most 4 planes, else of 64-bit numbers.
  template <class Use>
  void read(std::size_t from, std::size_t to, const Use& use) const {
    if (width <= 4) {
      use(differences<std::uint32_t, 0>(from, to));
    } else {
      use(differences<std::uint64_t, 5>(from, to));
    }
  }

 private:
  // Requires at least kWidth planes. Each width has a separate loop, so that compilers vectorize
  // it. The loops do not depend on the column: 9 times fewer are compiled than inside of read().
  template <class Number, std::size_t kWidth>
  std::array<std::make_signed_t<Number>, kTogether> differences(std::size_t from,
                                                                std::size_t to) const {
    if constexpr (kWidth < sizeof(Number)) {
      if (width != kWidth) return differences<Number, kWidth + 1>(from, to);
    }
    std::array<std::make_signed_t<Number>, kTogether> decoded;
    for (std::size_t i = from; i < to; ++i) {
      Number residual = 0;
      for (std::size_t plane = 0; plane < kWidth; ++plane) {
        residual |= static_cast<Number>(bytes[plane * count + i]) << (8 * plane);
      }
      decoded[i - from] = unzigzag(residual);
    }
    return decoded;
  }
};

// Reads columns from the decompressed bytes of a block.
class Columns {
 public:
  // `bytes` start with the number of events, two bytes.
  explicit Columns(std::span<const std::byte> bytes) : rest_(bytes) {}

  // Reads the number of events; returns true if it is `events`.
  bool areOf(std::size_t events) {
    if (rest_.size() < 2) return false;
    const std::size_t count = littleEndian(rest_.first(2));
    rest_ = rest_.subspan(2);
    return count == events;
  }

  std::size_t left() const { return rest_.size(); }

  // Reads the next column; nullopt if the bytes are too short or its width is not valid.
  std::optional<Planes> take(std::size_t count) {
    if (rest_.empty()) return std::nullopt;
    const Planes planes{rest_.data() + 1, static_cast<std::size_t>(rest_.front()), count};
    const std::size_t size = planes.width * count;
    if (planes.width > 8 || rest_.size() - 1 < size) return std::nullopt;
    rest_ = rest_.subspan(1 + size);
    return planes;
  }

 private:
  std::span<const std::byte> rest_;
};

template <auto kField, Base kBase, Order kOrder>
void putColumn(Column<kField, kBase, kOrder>, EventId first, const Places& places,
               std::span<const Event> events, std::vector<std::byte>& into) {
  Residuals residuals;
  std::uint64_t base = kBase == Base::OwnId ? first : 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[places.at<kOrder>(i)];
    const auto value = static_cast<std::uint64_t>(static_cast<std::int64_t>(event.*kField));
    residuals[i] = zigzag(value - base);
    if constexpr (kBase == Base::EventBefore) base = value;
    if constexpr (kBase == Base::OwnId) ++base;
  }
  putPlanes(into, std::span(residuals).first(events.size()));
}

// The read state of one column.
struct Reading {
  Planes planes;
  std::uint64_t base = 0;
};

// Decodes the numbers [from, to), in the column's order, into the events' field.
template <auto kField, Base kBase, Order kOrder>
void takeNumbers(Column<kField, kBase, kOrder>, Reading& reading, const Places& places,
                 std::size_t from, std::size_t to, std::span<Event> events) {
  using Value = std::remove_reference_t<decltype(Event{}.*kField)>;
  reading.planes.read(from, to, [&](const auto& differences) {
    std::uint64_t base = reading.base;
    for (std::size_t i = from; i < to; ++i) {
      const std::uint64_t value = base + static_cast<std::uint64_t>(differences[i - from]);
      events[places.at<kOrder>(i)].*kField = static_cast<Value>(value);
      if constexpr (kBase == Base::EventBefore) base = value;
      if constexpr (kBase == Base::OwnId) ++base;
    }
    reading.base = base;
  });
}

// The first column, because the order of other columns depends on it.
constexpr Column<&Event::kind, Base::Zero> kKinds;

template <class Use>
constexpr bool eachColumn(const Use& use) {
  return use(Column<&Event::verdict, Base::Zero, Order::ByKind>()) &&
         use(Column<&Event::meshDim, Base::Zero, Order::ByKind>()) &&
         use(Column<&Event::parent, Base::OwnId>()) &&
         use(Column<&Event::name, Base::Zero, Order::ByKind>()) &&
         use(Column<&Event::detail, Base::EventBefore, Order::ByKind>()) &&
         use(Column<&Event::ranks, Base::Zero, Order::ByKind>()) &&
         use(Column<&Event::bytes, Base::Zero, Order::ByKind>()) &&
         use(Column<&Event::subject, Base::EventBefore, Order::ByKind>()) &&
         use(Column<&Event::related, Base::EventBefore, Order::ByKind>()) &&
         use(Column<&Event::count, Base::EventBefore, Order::ByKind>()) &&
         use(Column<&Event::line, Base::EventBefore>()) &&
         use(Column<&Event::step, Base::EventBefore>()) &&
         use(Column<&Event::time, Base::EventBefore>()) &&
         use(Column<&Event::duration, Base::Zero>()) &&
         use(Column<&Event::inputs, Base::Zero, Order::ByKind>());
}

// Columns after the inputs. If a block ends before them, these fields are 0.
template <class Use>
constexpr bool eachLateColumn(const Use& use) {
  return use(Column<&Event::site, Base::Zero>()) && use(Column<&Event::device, Base::Zero>()) &&
         use(Column<&Event::group, Base::Zero, Order::ByKind>()) &&
         use(Column<&Event::sequence, Base::EventBefore, Order::ByKind>());
}

// Columns that format 5.0 added, after those. Blocks of format 4.0 end before them.
template <class Use>
constexpr bool eachColumnOfFormat5(const Use& use) {
  return use(Column<&Event::route, Base::Zero, Order::ByKind>()) &&
         use(Column<&Event::subkind, Base::Zero, Order::ByKind>());
}

// The column after those. If a block ends before it, this field is 0.
template <class Use>
constexpr bool eachLastColumn(const Use& use) {
  return use(Column<&Event::exposed, Base::Zero, Order::ByKind>());
}

constexpr std::size_t countColumns() {
  std::size_t count = 0;
  const auto one = [&count](auto) { return ++count != 0; };
  return eachColumn(one) && eachLateColumn(one) && eachColumnOfFormat5(one) && eachLastColumn(one)
             ? count
             : 0;
}
using Readings = std::array<Reading, countColumns()>;

template <Order kOrder>
void takeOrder(Readings& readings, const Places& places, std::span<Event> events) {
  eachTogether(events.size(), [&](std::size_t from, std::size_t to) {
    auto reading = readings.begin();
    const auto take = [&]<auto kField, Base kBase, Order kIts>(Column<kField, kBase, kIts> column) {
      if constexpr (kIts == kOrder) takeNumbers(column, *reading, places, from, to, events);
      ++reading;
      return true;
    };
    eachColumn(take);
    eachLateColumn(take);
    eachColumnOfFormat5(take);
    eachLastColumn(take);
  });
}

// Appends the inputs of all events as one column.
void putInputs(const std::vector<TensorId>& inputs, std::vector<std::byte>& into) {
  std::vector<std::uint64_t> residuals;
  residuals.reserve(inputs.size());
  std::uint64_t base = 0;
  for (const TensorId input : inputs) {
    residuals.push_back(zigzag(input - base));
    base = input;
  }
  putPlanes(into, residuals, /*leastWidth=*/1);
}

std::optional<Planes> takeInputs(Columns& columns, const Planes& counts) {
  std::size_t count = 0;
  eachTogether(counts.count, [&](std::size_t from, std::size_t to) {
    counts.read(from, to, [&](const auto& differences) {
      for (std::size_t i = from; i < to; ++i) {
        count += static_cast<std::uint32_t>(differences[i - from]);
      }
    });
  });
  // The column has at least one plane, so the remaining bytes bound the count and the allocation.
  if (count >= columns.left()) return std::nullopt;
  return columns.take(count);
}

void readInputs(const Planes& planes, std::vector<TensorId>& into) {
  into.resize(planes.count);
  std::uint64_t base = 0;
  eachTogether(planes.count, [&](std::size_t from, std::size_t to) {
    planes.read(from, to, [&](const auto& differences) {
      for (std::size_t i = from; i < to; ++i) {
        base += static_cast<std::uint64_t>(differences[i - from]);
        into[i] = static_cast<TensorId>(base);
      }
    });
  });
}

// The largest accepted decompressed size: a block whose events name thousands of tensors each.
constexpr unsigned long long kLargest = 16ULL << 20;
constexpr int kLevel = -1;

}  // namespace

std::vector<std::byte> packEvents(const EventBlock& block) {
  const auto& events = block.events;
  SL_CHECK(events.size() <= kBlockEvents, "a block has so many events at most");
  Places places;
  places.orderByKind(events);
  thread_local std::vector<std::byte> reused;
  std::vector<std::byte>& columns = reused;  // the address of a thread's variable costs a call
  columns.clear();
  columns.push_back(static_cast<std::byte>(events.size() & 0xff));
  columns.push_back(static_cast<std::byte>(events.size() >> 8));
  putColumn(kKinds, block.first, places, events, columns);
  const auto put = [&](auto column) {
    putColumn(column, block.first, places, events, columns);
    return true;
  };
  eachColumn(put);
  putInputs(block.inputs, columns);
  eachLateColumn(put);
  eachColumnOfFormat5(put);
  eachLastColumn(put);
  std::vector<std::byte> packed(ZSTD_compressBound(columns.size()));
  const std::size_t size = ZSTD_compressCCtx(compressor(), packed.data(), packed.size(),
                                             columns.data(), columns.size(), kLevel);
  SL_CHECK(ZSTD_isError(size) == 0, "zstd has room for what it may need");
  return {packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size)};
}

bool unpackEvents(std::span<const std::byte> packed, EventId first, EventBlock& into) {
  const unsigned long long claimed = ZSTD_getFrameContentSize(packed.data(), packed.size());
  // An unknown or invalid frame size is a huge number.
  if (into.events.size() > kBlockEvents || claimed > kLargest) return false;
  thread_local std::vector<std::byte> bytes;
  bytes.resize(claimed);
  const std::size_t size =
      ZSTD_decompressDCtx(decompressor(), bytes.data(), bytes.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) != 0) return false;
  Columns columns{std::span<const std::byte>(bytes).first(size)};
  const std::span events(into.events);
  if (!columns.areOf(events.size())) return false;
  const auto kinds = columns.take(events.size());
  if (!kinds) return false;
  Readings readings{};
  auto reading = readings.begin();
  const auto take = [&]<auto kField, Base kBase, Order kOrder>(Column<kField, kBase, kOrder>) {
    const auto planes = columns.take(events.size());
    if (!planes) return false;
    *reading++ = {*planes, kBase == Base::OwnId ? first : 0};
    return true;
  };
  if (!eachColumn(take)) return false;
  const auto inputs = takeInputs(columns, std::prev(reading)->planes);
  if (!inputs || (columns.left() != 0 && !eachLateColumn(take))) return false;
  if (columns.left() != 0 && !eachColumnOfFormat5(take)) return false;
  if (columns.left() != 0 && !eachLastColumn(take)) return false;

  into.first = first;
  Reading ofKinds{*kinds};
  Places places;
  eachTogether(events.size(), [&](std::size_t from, std::size_t to) {
    takeNumbers(kKinds, ofKinds, places, from, to, events);
  });
  places.orderByKind(events);
  takeOrder<Order::ByKind>(readings, places, events);
  takeOrder<Order::ById>(readings, places, events);
  readInputs(*inputs, into.inputs);
  return true;
}

}  // namespace shardlens
