#include "core/comm/simulated.h"
#include "tests/comm/forwarding.h"
#include "tests/tensor/gpu/fake_cuda.h"
#include "tests/tensor/gpu/host_view.h"

#include <ATen/ATen.h>

#include <map>
#include <stdexcept>

namespace shardlens::fake_cuda {
namespace {

// Simulated ranks with views of their devices' memory.
class OnFakeDevices final : public Forwarding {
 public:
  using Forwarding::Forwarding;

  at::Device device(int rank) const override {
    return {at::kCUDA, static_cast<at::DeviceIndex>(rank % 2)};
  }
  at::DeviceType deviceType() const override { return at::kCUDA; }
  std::unique_ptr<Communicator> over(const std::vector<int>& ranks) const override {
    return std::make_unique<OnFakeDevices>(inner().over(ranks));
  }
  void allReduce(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                 Reduction reduction) override {
    carry(inputs, into, [&](const auto& from, const auto& to) {
      inner().allReduce(groups, from, to, reduction);
    });
  }
  void allGather(const GroupSet& groups, const Buffers& inputs, const BufferLists& into) override {
    carry(inputs, into,
          [&](const auto& from, const auto& to) { inner().allGather(groups, from, to); });
  }
  void reduceScatter(const GroupSet& groups, const BufferLists& inputs, const Buffers& into,
                     Reduction reduction) override {
    carry(inputs, into, [&](const auto& from, const auto& to) {
      inner().reduceScatter(groups, from, to, reduction);
    });
  }
  void allToAll(const GroupSet& groups, const BufferLists& inputs,
                const BufferLists& into) override {
    carry(inputs, into,
          [&](const auto& from, const auto& to) { inner().allToAll(groups, from, to); });
  }
  void broadcast(const GroupSet& groups, int root, const Buffers& inputs,
                 const Buffers& into) override {
    carry(inputs, into,
          [&](const auto& from, const auto& to) { inner().broadcast(groups, root, from, to); });
  }
  void scatter(const GroupSet& groups, int root, const BufferLists& inputs,
               const Buffers& into) override {
    carry(inputs, into,
          [&](const auto& from, const auto& to) { inner().scatter(groups, root, from, to); });
  }

 private:
  // Maps each tensor to one view, because ranks may share a buffer, or receive into an input.
  class Views {
   public:
    explicit Views(const OnFakeDevices& comm) : comm_(comm) {}

    Buffers of(const Buffers& buffers, Access access) {
      Buffers views;
      for (std::size_t i = 0; i < buffers.size(); ++i) {
        views.push_back(one(buffers[i], i, access));
      }
      return views;
    }
    BufferLists of(const BufferLists& lists, Access access) {
      BufferLists views;
      for (std::size_t i = 0; i < lists.size(); ++i) {
        auto& list = views.emplace_back();
        for (const auto& buffer : lists[i]) list.push_back(one(buffer, i, access));
      }
      return views;
    }

   private:
    at::Tensor one(const at::Tensor& buffer, std::size_t i, Access access) {
      const auto expected = comm_.device(comm_.hosted()[i]);
      if (buffer.device() != expected) {
        throw std::logic_error("a collective got a buffer on " + buffer.device().str() +
                               ", expected " + expected.str());
      }
      auto& view = known_[buffer.unsafeGetTensorImpl()];
      if (!view.defined()) view = hostView(buffer, access);
      return view;
    }

    const OnFakeDevices& comm_;
    std::map<const void*, at::Tensor> known_;
  };

  // Maps what is written first, because that may copy memory that is shared lazily.
  template <class Inputs, class Outputs, class Call>
  void carry(const Inputs& inputs, const Outputs& into, Call call) const {
    Views views(*this);
    const auto to = views.of(into, Access::Write);
    call(views.of(inputs, Access::Read), to);
  }
};

}  // namespace

std::unique_ptr<Communicator> communicator(int ranks) {
  install();
  return std::make_unique<OnFakeDevices>(std::make_unique<SimulatedCommunicator>(ranks));
}

}  // namespace shardlens::fake_cuda
