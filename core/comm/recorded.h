#pragma once

#include "core/comm/communicator.h"
#include "core/trace/recorder/event_makers.h"
#include "core/trace/recorder/recorder.h"

#include <deque>
#include <memory>
#include <optional>

namespace shardlens {

// A communicator that forwards every collective to another one, which it owns, and adds it to the
// recorder's counts: calls, bytes sent by the hosted ranks, and nanoseconds in the call. While a
// sink records, it also emits an event that spans the collective. A collective that never returns
// therefore appears as running. On GPUs the event's duration is the GPU time (DeviceSpan).
// Collectives throw Refusal for inputs on the meta device, unless deviceType() is meta; such a call
// is not counted. The recorder must outlive this object and those from over(), which record to it,
// too.
class RecordedCommunicator final : public Communicator {
 public:
  RecordedCommunicator(std::unique_ptr<Communicator> inner, Recorder& recorder);

  const std::vector<int>& hosted() const override { return inner_->hosted(); }
  at::Device device(int rank) const override { return inner_->device(rank); }
  at::DeviceType deviceType() const override { return inner_->deviceType(); }
  bool isAlone() const override { return inner_->isAlone(); }
  std::unique_ptr<Communicator> over(const std::vector<int>& ranks) const override;
  void allReduce(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                 Reduction reduction) override;
  void allGather(const GroupSet& groups, const Buffers& inputs, const BufferLists& into) override;
  void reduceScatter(const GroupSet& groups, const BufferLists& inputs, const Buffers& into,
                     Reduction reduction) override;
  void allToAll(const GroupSet& groups, const BufferLists& inputs,
                const BufferLists& into) override;
  void haloExchange(const GroupSet& groups, const BufferLists& inputs, const BufferLists& into,
                    const std::string& why) override;
  void broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                 const Buffers& into) override;
  void scatter(const GroupSet& groups, int root, const BufferLists& inputs,
               const Buffers& into) override;
  // Returns 0, so that the next collective is synchronous, while a sink requests times.
  std::uint64_t makeNextAsync() override {
    return recorder_.recordsTimes() ? 0 : inner_->makeNextAsync();
  }
  void wait() override { inner_->wait(); }
  void wait(std::uint64_t number) override { inner_->wait(number); }
  std::vector<std::string> allGatherStrings(const std::string& mine) override {
    return inner_->allGatherStrings(mine);
  }

 private:
  template <class Inputs, class Call>
  void record(CollectiveKind kind, const GroupSet& groups, const Inputs& inputs, Call call,
              const std::string& why = {}, std::optional<int> root = {});

  // Returns the texts of a collective over these groups. Caches those of the newest sets of groups,
  // unless the collective has a reason or a root.
  CollectiveTexts textsOf(const GroupSet& groups, const std::string& why, std::optional<int> root);

  // The texts of a set of groups in one recording.
  struct Known {
    GroupSet groups;
    std::uint32_t recording = 0;
    CollectiveTexts texts;
  };
  static constexpr std::size_t kMostKnown = 16;

  std::unique_ptr<Communicator> inner_;
  Recorder& recorder_;
  std::deque<Known> known_;  // the newest first
};

}  // namespace shardlens
