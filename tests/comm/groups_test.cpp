#include "core/model/mesh.h"
#include "tests/comm/backends.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <stdexcept>

namespace shardlens {
namespace {

// The groups of a test: those of a mesh dimension, or others with members in any order.
struct Arrangement {
  std::string name;
  GroupSet groups;
  int ranks;
};

std::vector<Arrangement> arrangements() {
  std::vector<Arrangement> all;
  for (const auto& shape : {std::vector<int>{2, 3}, std::vector<int>{2, 2, 2}}) {
    const auto mesh = DeviceMesh::make(shape).value();
    for (int dim = 0; dim < mesh.ndim(); ++dim) {
      std::string name = "mesh";
      for (const int size : shape) name += "_" + std::to_string(size);
      all.push_back(
          {name + "_along_" + std::to_string(dim), {"", dim, mesh.groups(dim)}, mesh.size()});
    }
  }
  const auto cube = DeviceMesh::make({2, 2, 2}).value();
  all.push_back({"flattened", {"", -1, cube.groups(std::vector{0, 2})}, 8});
  all.push_back({"flattened_backwards", {"", -1, cube.groups(std::vector{1, 0})}, 8});
  all.push_back({"out_of_order", {"", 0, {{2, 0, 3}, {1, 4}}}, 5});
  all.push_back({"alone", {"", 0, {{0}, {1}, {2}}}, 3});
  return all;
}

struct Case {
  Backend backend;
  Arrangement arrangement;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& backend : backends()) {
    for (const auto& arrangement : arrangements()) all.push_back({backend, arrangement});
  }
  return all;
}

class Groups : public testing::TestWithParam<Case> {
 protected:
  const GroupSet& groups() const { return GetParam().arrangement.groups; }
  const std::vector<int>& groupOf(int rank) const {
    for (const auto& group : groups().groups) {
      if (std::find(group.begin(), group.end(), rank) != group.end()) return group;
    }
    throw std::logic_error("every rank is in a group");
  }
  int placeOf(int rank) const {
    const auto& group = groupOf(rank);
    return static_cast<int>(std::find(group.begin(), group.end(), rank) - group.begin());
  }
  // Returns an index that exists in every group: the last one of the smallest group.
  int root() const {
    std::size_t least = groups().groups.front().size();
    for (const auto& group : groups().groups) least = std::min(least, group.size());
    return static_cast<int>(least) - 1;
  }
  void run(const Backend::Body& body) {
    GetParam().backend.run(GetParam().arrangement.ranks, body);
  }
};

double digit(int rank) {
  double value = 1;
  for (int i = 0; i < rank; ++i) value *= 10;
  return value;
}

at::Tensor one(double value) { return at::full({1}, value, at::kDouble); }

// The digits of the sum show which ranks took part, and how often.
TEST_P(Groups, ReduceAmongTheirMembersOnly) {
  run([&](Communicator& comm) {
    const Buffers inputs = forHosted(comm, [](int rank) { return one(digit(rank)); });
    const Buffers into = forHosted(comm, [](int) { return one(-1); });
    comm.allReduce(groups(), inputs, into, {});
    for (std::size_t i = 0; i < into.size(); ++i) {
      double want = 0;
      for (const int member : groupOf(comm.hosted()[i])) want += digit(member);
      expectSame(into[i], one(want), "rank " + std::to_string(comm.hosted()[i]));
    }
  });
}

TEST_P(Groups, GatherInTheOrderOfTheGroup) {
  run([&](Communicator& comm) {
    const Buffers inputs = forHosted(comm, [](int rank) { return one(rank); });
    const BufferLists into = forHosted(comm, [&](int rank) {
      return Buffers(
          at::zeros({static_cast<std::int64_t>(groupOf(rank).size())}, at::kDouble).split(1));
    });
    comm.allGather(groups(), inputs, into);
    for (std::size_t i = 0; i < into.size(); ++i) {
      const auto& group = groupOf(comm.hosted()[i]);
      for (std::size_t j = 0; j < group.size(); ++j) expectSame(into[i][j], one(group[j]), "");
    }
  });
}

TEST_P(Groups, ExchangeInTheOrderOfTheGroup) {
  run([&](Communicator& comm) {
    const auto letters = [&](int me) {
      Buffers sent;
      for (const int other : groupOf(me)) sent.push_back(one(100 * me + other));
      return sent;
    };
    const BufferLists inputs = forHosted(comm, letters);
    const BufferLists received = forHosted(comm, [&](int me) {
      Buffers empty;
      for (std::size_t j = 0; j < groupOf(me).size(); ++j) empty.push_back(one(-1));
      return empty;
    });
    comm.allToAll(groups(), inputs, received);
    for (std::size_t i = 0; i < received.size(); ++i) {
      const int me = comm.hosted()[i];
      for (std::size_t j = 0; j < received[i].size(); ++j) {
        expectSame(received[i][j], one(100 * groupOf(me)[j] + me), "");
      }
    }
  });
}

TEST_P(Groups, ScatterByPlaceInTheGroup) {
  run([&](Communicator& comm) {
    const BufferLists inputs = forHosted(comm, [&](int me) {
      Buffers sent;
      for (std::size_t place = 0; place < groupOf(me).size(); ++place) {
        sent.push_back(one(digit(me) * static_cast<double>(place + 1)));
      }
      return sent;
    });
    const Buffers into = forHosted(comm, [](int) { return one(-1); });
    comm.reduceScatter(groups(), inputs, into, {});
    for (std::size_t i = 0; i < into.size(); ++i) {
      const int me = comm.hosted()[i];
      double want = 0;
      for (const int member : groupOf(me)) want += digit(member) * (placeOf(me) + 1);
      expectSame(into[i], one(want), "rank " + std::to_string(me));
    }
  });
}

TEST_P(Groups, ReceiveTheTensorOfTheRoot) {
  run([&](Communicator& comm) {
    const Buffers inputs =
        forHosted(comm, [&](int me) { return placeOf(me) == root() ? one(me) : at::Tensor(); });
    const Buffers into = forHosted(comm, [](int) { return one(-1); });
    comm.broadcast(groups(), root(), inputs, into);
    for (std::size_t i = 0; i < into.size(); ++i) {
      expectSame(into[i], one(groupOf(comm.hosted()[i])[static_cast<std::size_t>(root())]), "");
    }
  });
}

TEST_P(Groups, AreGivenPiecesByTheirRoot) {
  run([&](Communicator& comm) {
    const BufferLists inputs = forHosted(comm, [&](int me) {
      Buffers pieces;
      if (placeOf(me) != root()) return pieces;
      for (const int other : groupOf(me)) pieces.push_back(one(100 * me + other));
      return pieces;
    });
    const Buffers into = forHosted(comm, [](int) { return one(-1); });
    comm.scatter(groups(), root(), inputs, into);
    for (std::size_t i = 0; i < into.size(); ++i) {
      const int me = comm.hosted()[i];
      expectSame(into[i], one(100 * groupOf(me)[static_cast<std::size_t>(root())] + me), "");
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Backends, Groups, testing::ValuesIn(cases()), [](const auto& info) {
  return info.param.backend.name + "_" + info.param.arrangement.name;
});

}  // namespace
}  // namespace shardlens
