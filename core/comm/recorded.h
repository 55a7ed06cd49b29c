#pragma once

#include "core/comm/communicator.h"
#include "core/trace/journal/recorder.h"

#include <memory>
#include <optional>

namespace shardlens {

// Passes every collective on to another communicator, counts it, and, while somebody records, makes
// it an event that lasts as long as the collective does, on the GPUs where it runs there: one that
// never returns is seen running.
class RecordedCommunicator final : public Communicator {
 public:
  RecordedCommunicator(std::unique_ptr<Communicator> inner, Recorder& recorder);

  const std::vector<int>& hosted() const override { return inner_->hosted(); }
  at::Device device(int rank) const override { return inner_->device(rank); }
  at::DeviceType deviceType() const override { return inner_->deviceType(); }
  std::optional<std::chrono::nanoseconds> deviceTime() const override {
    return inner_->deviceTime();
  }
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
  // While somebody wants times every collective is waited for.
  std::uint64_t makeNextAsync() override {
    return recorder_.wantsTimes() ? 0 : inner_->makeNextAsync();
  }
  void wait() override { inner_->wait(); }
  void wait(std::uint64_t number) override { inner_->wait(number); }
  std::vector<std::string> allGatherStrings(const std::string& mine) override {
    return inner_->allGatherStrings(mine);
  }

 private:
  template <class Inputs, class Call>
  void record(std::string_view kind, const GroupSet& groups, const Inputs& inputs, Call call,
              const std::string& why = {}, std::optional<int> root = {});

  std::unique_ptr<Communicator> inner_;
  Recorder& recorder_;
};

}  // namespace shardlens
