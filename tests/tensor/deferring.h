#pragma once

#include "core/comm/simulated.h"
#include "tests/comm/forwarding.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <utility>

namespace shardlens {

// A communicator whose asynchronous collectives run as late as possible: when they are awaited, or
// before the next collective. Until then their outputs contain garbage. The test fails if their
// inputs change meanwhile.
class Deferring final : public Forwarding {
 public:
  // Shared with all communicators that over() makes. Its destructor runs the pending collective.
  struct State {
    ~State() { wait(); }
    void wait() {
      number = 0;
      if (auto run = std::exchange(pending, nullptr)) run();
    }
    // Numbers of the last asynchronous collective, of the next one (0: it is synchronous), and of
    // the pending one.
    std::uint64_t last = 0, next = 0, number = 0;
    // Number of asynchronous collectives so far.
    int deferred = 0;
    // Runs the pending collective; null if there is none.
    std::function<void()> pending;
  };

  explicit Deferring(std::unique_ptr<Communicator> inner,
                     std::shared_ptr<State> state = std::make_shared<State>())
      : Forwarding(std::move(inner)), state_(std::move(state)) {}
  const std::shared_ptr<State>& state() const { return state_; }

  std::unique_ptr<Communicator> over(const std::vector<int>& ranks) const override {
    return std::make_unique<Deferring>(inner().over(ranks), state_);
  }
  std::uint64_t makeNextAsync() override { return state_->next = ++state_->last; }
  void wait() override { state_->wait(); }
  void wait(std::uint64_t number) override {
    if (number == state_->number) state_->wait();
  }

  void allReduce(const GroupSet& groups, const Buffers& inputs, const Buffers& into,
                 Reduction reduction) override {
    carry(inputs, into, [comm = own(), groups, reduction](const auto& in, const auto& out) {
      comm->allReduce(groups, in, out, reduction);
    });
  }
  void allGather(const GroupSet& groups, const Buffers& inputs, const BufferLists& into) override {
    carry(inputs, into, [comm = own(), groups](const auto& in, const auto& out) {
      comm->allGather(groups, in, out);
    });
  }
  void reduceScatter(const GroupSet& groups, const BufferLists& inputs, const Buffers& into,
                     Reduction reduction) override {
    carry(inputs, into, [comm = own(), groups, reduction](const auto& in, const auto& out) {
      comm->reduceScatter(groups, in, out, reduction);
    });
  }
  void allToAll(const GroupSet& groups, const BufferLists& inputs,
                const BufferLists& into) override {
    carry(inputs, into, [comm = own(), groups](const auto& in, const auto& out) {
      comm->allToAll(groups, in, out);
    });
  }
  std::vector<std::string> allGatherStrings(const std::string& words) override {
    state_->wait();
    return inner().allGatherStrings(words);
  }

 private:
  // Returns another communicator over the same ranks, which may outlive this one.
  std::shared_ptr<Communicator> own() const { return inner().over(hosted()); }

  // Maps a tensor to the memory that it has now, and fills this with garbage. The collective later
  // writes to this memory, as a GPU would, even if the tensor has been copied lazily since.
  class Memories {
   public:
    at::Tensor operator()(const at::Tensor& tensor) {
      auto& memory = known_[tensor.unsafeGetTensorImpl()];
      if (!memory.defined()) {
        memory = at::from_blob(
            tensor.mutable_data_ptr(), tensor.sizes(), tensor.strides(), [tensor](void*) {},
            tensor.options());
        const bool isFloating = at::isFloatingType(tensor.scalar_type());
        memory.fill_(isFloating ? std::numeric_limits<double>::quiet_NaN() : 77);
      }
      return memory;
    }
    Buffers operator()(const Buffers& buffers) {
      Buffers all;
      for (const auto& each : buffers) all.push_back((*this)(each));
      return all;
    }
    BufferLists operator()(const BufferLists& lists) {
      BufferLists all;
      for (const auto& each : lists) all.push_back((*this)(each));
      return all;
    }

   private:
    std::map<const void*, at::Tensor> known_;
  };

  static std::string bytesIn(const Buffers& buffers) {
    std::string bytes;
    for (const auto& each : buffers) {
      const auto whole = each.contiguous();
      bytes.append(static_cast<const char*>(whole.const_data_ptr()), whole.nbytes());
    }
    return bytes;
  }
  static std::string bytesIn(const BufferLists& lists) {
    std::string bytes;
    for (const auto& each : lists) bytes += bytesIn(each);
    return bytes;
  }

  template <class Inputs, class Outputs, class Call>
  void carry(const Inputs& inputs, const Outputs& into, Call call) {
    const auto number = std::exchange(state_->next, 0);
    state_->wait();
    if (number == 0) return call(inputs, into);
    ++state_->deferred;
    const auto before = bytesIn(inputs);
    const auto memory = Memories()(into);
    state_->number = number;
    state_->pending = [=] {
      EXPECT_TRUE(bytesIn(inputs) == before) << "what a collective reads was changed meanwhile";
      call(inputs, memory);
    };
  }

  std::shared_ptr<State> state_;
};

}  // namespace shardlens
