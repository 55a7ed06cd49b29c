#include "tests/comm/backends.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace shardlens {
namespace {

// Tests the collectives that move pieces, with arguments as in redistribution: pieces of unequal
// lengths, some of them empty, that are views into larger tensors.
class Moves : public testing::TestWithParam<World> {
 protected:
  int ranks() const { return GetParam().ranks; }
  void run(const Backend::Body& body) { GetParam().backend.run(ranks(), body); }

  // Splits `whole` along its rows. Member i gets the next rows(i) rows, as a view.
  template <class Rows>
  Buffers pieces(const at::Tensor& whole, Rows rows) const {
    Buffers views;
    std::int64_t at = 0;
    for (int member = 0; member < ranks(); ++member) {
      views.push_back(whole.narrow(0, at, rows(member)));
      at += rows(member);
    }
    return views;
  }
  template <class Rows>
  std::int64_t total(Rows rows) const {
    std::int64_t all = 0;
    for (int member = 0; member < ranks(); ++member) all += rows(member);
    return all;
  }
};

// Returns rows whose values identify the sender and the receiver.
at::Tensor letter(int sender, int receiver, std::int64_t rows, at::ScalarType dtype = at::kFloat) {
  return (at::arange(rows * 2, at::kLong) + 10 * sender + 60 * receiver).view({rows, 2}).to(dtype);
}

int unevenRows(int member) { return (member + 2) % 3; }  // 2, 0, 1, 2, 0

Buffers clonesOf(const Buffers& buffers) {
  Buffers clones;
  for (const auto& buffer : buffers) clones.push_back(buffer.clone());
  return clones;
}

void expectUntouched(const Buffers& buffers, const Buffers& before) {
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    expectSame(buffers[i], before[i], "an input is left as it is");
  }
}

TEST_P(Moves, AllGatherBringsEveryRanksBufferToAll) {
  for (const auto dtype : {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kComplexFloat,
                           at::kLong, at::kInt, at::kShort, at::kByte, at::kBool}) {
    run([&](Communicator& comm) {
      const Buffers inputs = forHosted(
          comm, [&](int rank) { return viewOf(letter(rank, 0, unevenRows(rank), dtype)); });
      const Buffers before = clonesOf(inputs);
      Buffers out;
      BufferLists into;
      Buffers want;
      for (int rank = 0; rank < ranks(); ++rank) {
        want.push_back(letter(rank, 0, unevenRows(rank), dtype));
      }
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        out.push_back(at::zeros({total(unevenRows), 2}, dtype));
        into.push_back(pieces(out.back(), unevenRows));
      }
      comm.allGather(everyone(ranks()), inputs, into);
      for (const auto& got : out) expectSame(got, at::cat(want), c10::toString(dtype));
      expectUntouched(inputs, before);
    });
  }
}

// A tensor sharded by columns is gathered into views that are not contiguous.
TEST_P(Moves, AllGatherFillsViewsAndNothingElse) {
  run([&](Communicator& comm) {
    const Buffers inputs = forHosted(comm, [](int rank) {
      return at::full({3, 2}, rank, at::kFloat);
    });
    Buffers out;
    BufferLists into;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      out.push_back(at::full({3, 2 * ranks() + 1}, -1, at::kFloat));
      auto& views = into.emplace_back();
      for (int member = 0; member < ranks(); ++member) {
        views.push_back(out.back().narrow(1, 2 * member, 2));
      }
    }
    comm.allGather(everyone(ranks()), inputs, into);
    for (const auto& got : out) {
      const auto columns = at::arange(2 * ranks() + 1, at::kFloat).div(2, "floor");
      auto want = columns.expand({3, 2 * ranks() + 1}).clone();
      want.narrow(1, 2 * ranks(), 1).fill_(-1);
      expectSame(got, want, "columns");
    }
  });
}

TEST_P(Moves, ReduceScatterGivesEachItsReducedPiece) {
  for (const auto op : {ReduceOp::Sum, ReduceOp::Avg, ReduceOp::Max, ReduceOp::Min}) {
    run([&](Communicator& comm) {
      const auto piece = [&](int sender, int receiver) {
        return letter(sender, receiver, unevenRows(receiver)) * ranks();
      };
      Buffers wholes = forHosted(comm, [&](int sender) {
        Buffers parts;
        for (int receiver = 0; receiver < ranks(); ++receiver) {
          parts.push_back(piece(sender, receiver));
        }
        return viewOf(at::cat(parts));
      });
      const Buffers before = clonesOf(wholes);
      BufferLists inputs;
      for (const auto& whole : wholes) inputs.push_back(pieces(whole, unevenRows));
      const Buffers into = forHosted(comm, [](int rank) {
        return viewOf(at::zeros({unevenRows(rank), 2}, at::kFloat));
      });
      comm.reduceScatter(everyone(ranks()), inputs, into, {op});
      for (std::size_t i = 0; i < into.size(); ++i) {
        const int me = comm.hosted()[i];
        Buffers terms;
        for (int sender = 0; sender < ranks(); ++sender) terms.push_back(piece(sender, me));
        const auto stacked = at::stack(terms);
        const auto want = op == ReduceOp::Max   ? piece(ranks() - 1, me)
                          : op == ReduceOp::Min ? piece(0, me)
                          : op == ReduceOp::Avg ? stacked.sum(0) / ranks()
                                                : stacked.sum(0);
        expectSame(into[i], want, std::string(reduceOpName(op)));
      }
      expectUntouched(wholes, before);
    });
  }
}

TEST_P(Moves, AllToAllBringsEveryLetterToItsReceiver) {
  const auto rows = [](int sender, int receiver) { return (sender + 2 * receiver) % 3; };
  for (const auto dtype : {at::kFloat, at::kHalf, at::kLong, at::kBool}) {
    run([&](Communicator& comm) {
      BufferLists inputs, into;
      std::vector<Buffers> before;
      for (const int me : comm.hosted()) {
        auto& sent = inputs.emplace_back();
        auto& received = into.emplace_back();
        for (int other = 0; other < ranks(); ++other) {
          sent.push_back(viewOf(letter(me, other, rows(me, other), dtype)));
          received.push_back(viewOf(at::zeros({rows(other, me), 2}, dtype)));
        }
        before.push_back(clonesOf(sent));
      }
      comm.allToAll(everyone(ranks()), inputs, into);
      for (std::size_t i = 0; i < into.size(); ++i) {
        const int me = comm.hosted()[i];
        for (int sender = 0; sender < ranks(); ++sender) {
          expectSame(into[i][sender], letter(sender, me, rows(sender, me), dtype),
                     "from " + std::to_string(sender) + " to " + std::to_string(me));
        }
        expectUntouched(inputs[i], before[i]);
      }
    });
  }
}

TEST_P(Moves, HaloExchangeIsBetweenNeighbours) {
  run([&](Communicator& comm) {
    const auto rows = [&](int sender, int receiver) {
      return std::abs(sender - receiver) == 1 ? 1 + sender % 2 : 0;
    };
    BufferLists inputs, into;
    for (const int me : comm.hosted()) {
      inputs.emplace_back();
      into.emplace_back();
      for (int other = 0; other < ranks(); ++other) {
        inputs.back().push_back(viewOf(letter(me, other, rows(me, other), at::kFloat)));
        into.back().push_back(viewOf(at::zeros({rows(other, me), 2})));
      }
    }
    comm.haloExchange(everyone(ranks()), inputs, into, "windows");
    for (std::size_t i = 0; i < into.size(); ++i) {
      const int me = comm.hosted()[i];
      for (int sender = 0; sender < ranks(); ++sender) {
        expectSame(into[i][sender], letter(sender, me, rows(sender, me), at::kFloat),
                   "from " + std::to_string(sender) + " to " + std::to_string(me));
      }
    }
  });
}

TEST_P(Moves, BroadcastBringsTheRootsBufferToAll) {
  for (int root = 0; root < ranks(); ++root) {
    for (const auto dtype : {at::kFloat, at::kBool, at::kComplexDouble}) {
      for (const int rows : {0, 3}) {
        run([&](Communicator& comm) {
          const auto messages = letter(root, 0, rows, dtype);
          const Buffers inputs = forHosted(comm, [&](int) { return viewOf(messages); });
          const Buffers into = forHosted(comm, [&](int) {
            return viewOf(at::zeros({rows, 2}, dtype));
          });
          comm.broadcast(everyone(ranks()), root, inputs, into);
          for (const auto& got : into) expectSame(got, messages, c10::toString(dtype));
        });
      }
    }
  }
}

TEST_P(Moves, ScatterGivesEachItsPiece) {
  for (int root = 0; root < ranks(); ++root) {
    run([&](Communicator& comm) {
      const BufferLists inputs = forHosted(comm, [&](int me) {
        Buffers pieces;
        for (int other = 0; other < ranks() && me == root; ++other) {
          pieces.push_back(viewOf(letter(me, other, unevenRows(other))));
        }
        return pieces;
      });
      const Buffers into = forHosted(comm, [](int rank) {
        return viewOf(at::zeros({unevenRows(rank), 2}, at::kFloat));
      });
      comm.scatter(everyone(ranks()), root, inputs, into);
      for (std::size_t i = 0; i < into.size(); ++i) {
        const int me = comm.hosted()[i];
        expectSame(into[i], letter(root, me, unevenRows(me)), "from " + std::to_string(root));
      }
    });
  }
}

// The messages have very different sizes, so that they could overtake each other in transit.
TEST_P(Moves, ArriveInTheOrderOfSending) {
  run([&](Communicator& comm) {
    const auto rows = [](int turn) { return turn % 3 == 0 ? 20000 : 1 + turn; };
    for (int turn = 0; turn < 20; ++turn) {
      const Buffers inputs =
          forHosted(comm, [&](int rank) { return at::full({rows(turn)}, 100 * turn + rank); });
      const BufferLists into = forHosted(comm, [&](int) {
        Buffers places;
        for (int j = 0; j < ranks(); ++j) places.push_back(at::zeros({rows(turn)}, at::kLong));
        return places;
      });
      comm.allGather(everyone(ranks()), inputs, into);
      for (const auto& places : into) {
        for (int j = 0; j < ranks(); ++j) {
          expectSame(places[static_cast<std::size_t>(j)], at::full({rows(turn)}, 100 * turn + j),
                     "");
        }
      }
    }
  });
}

TEST_P(Moves, OverSomeRanksTheOthersHaveNoPart) {
  run([&](Communicator& comm) {
    std::vector<int> some;
    for (int rank = ranks() - 1; rank >= 0; rank -= 2) some.push_back(rank);
    const auto part = comm.over(some);
    const Buffers inputs = forHosted(*part, [](int rank) { return at::full({2}, 1 << rank); });
    const Buffers into = forHosted(*part, [](int) { return at::zeros({2}, at::kLong); });
    part->allReduce({"", 0, {some}}, inputs, into, {});
    std::int64_t sum = 0;
    for (const int rank : some) sum += 1 << rank;
    for (const auto& got : into) expectSame(got, at::full({2}, sum), "some ranks");
    EXPECT_TRUE(std::is_sorted(part->hosted().begin(), part->hosted().end()));
  });
}

TEST_P(Moves, AllGatherStringsReturnsTextsInProcessOrder) {
  run([&](Communicator& comm) {
    const int first = comm.hosted().empty() ? ranks() : comm.hosted().front();
    for (const auto size : {std::size_t{0}, std::size_t{5}, std::size_t{100000}}) {
      const auto messages = std::to_string(first) + ":" + std::string(size * (first % 2), 'x');
      const auto gathered = comm.allGatherStrings(messages);
      ASSERT_FALSE(gathered.empty());
      EXPECT_NE(std::find(gathered.begin(), gathered.end(), messages), gathered.end());
      EXPECT_TRUE(std::is_sorted(gathered.begin(), gathered.end()));
    }
    EXPECT_EQ(comm.allGatherStrings("").front(), "");
  });
}

INSTANTIATE_TEST_SUITE_P(Backends, Moves, testing::ValuesIn(worlds({1, 2, 3, 4, 5})), worldName);

}  // namespace
}  // namespace shardlens
