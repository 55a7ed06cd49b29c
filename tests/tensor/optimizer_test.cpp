// Optimizers on sharded parameters: those of libtorch, and the foreach and fused calls of
// PyTorch's. Parameters become equal to plain ones, keep their placements, and no step sends
// anything.

#include "tests/tensor/collectives.h"

#include <torch/nn/utils/clip_grad.h>
#include <torch/optim.h>

#include <cmath>
#include <functional>

namespace shardlens {
namespace {

using List = std::vector<at::Tensor>;
using Scalars = std::vector<at::Scalar>;

struct ParameterLayout {
  std::vector<int> mesh;
  std::vector<std::vector<std::string>> parameters;  // one for each of shapes()
};

// Tensor parallelism within data parallelism shards a dimension twice. This gives strided shards.
const std::vector<ParameterLayout> kParameterLayouts = {
    {{4}, {{"S(0)"}, {"S(1)"}, {"R"}}},
    {{2, 2}, {{"SS(0, 2)", "S(0)"}, {"S(0)", "S(1)"}, {"S(0)", "R"}}},
    {{2, 2}, {{"S(1)", "SS(1, 2)"}, {"SS(0, 2)", "S(0)"}, {"SS(0, 2)", "S(0)"}}},
    {{2, 2, 2}, {{"SS(0, 4)", "SS(0, 2)", "S(0)"}, {"R", "SS(0, 2)", "S(0)"}, {"R", "R", "S(0)"}}}};

std::vector<std::vector<std::int64_t>> shapes() { return {{8, 4}, {5, 6}, {7}}; }

List parameters() {
  List list;
  for (const auto& shape : shapes()) list.push_back(numbered(shape, 31).sub(15).div(8));
  return list;
}

List gradients(int step) {
  List list;
  for (const auto& shape : shapes()) list.push_back(numbered(shape, 23 + step).sub(11).div(16));
  return list;
}

List laid(const std::shared_ptr<Runtime>& runtime, const ParameterLayout& layout,
          const List& list) {
  List sharded;
  for (std::size_t i = 0; i < list.size(); ++i) {
    sharded.push_back(distribute(runtime, list[i].clone(), placed(layout.parameters[i])));
  }
  return sharded;
}

void expectSame(const List& got, const List& expected, const ParameterLayout& layout) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(placementsOf(got[i]), toText(placed(layout.parameters[i])));
    EXPECT_TRUE(at::allclose(whole(got[i].detach()), expected[i], 1e-6, 1e-7)) << "parameter " << i;
  }
}

// Compares three steps with plain ones under all layouts. `start` returns the step function of an
// optimizer without state.
using Step = std::function<void(const List& gradients)>;
void expectPlainSteps(const std::function<Step(const List& parameters)>& start) {
  for (const auto& layout : kParameterLayouts) {
    SCOPED_TRACE(toText(placed(layout.parameters.front())));
    const auto runtime = ranks(layout.mesh);
    const auto expected = parameters();
    const auto got = laid(runtime, layout, parameters());
    const auto plain = start(expected), sharded = start(got);
    for (int step = 0; step < 3; ++step) plain(gradients(step));
    const auto steps = [&] {
      for (int step = 0; step < 3; ++step) sharded(laid(runtime, layout, gradients(step)));
    };
    EXPECT_EQ(collectivesOf(*runtime, steps), "");
    expectSame(got, expected, layout);
  }
}

template <class Optimizer, class Options>
void expectPlainSteps(const Options& options) {
  expectPlainSteps([&](const List& parameters) -> Step {
    for (const auto& parameter : parameters) parameter.requires_grad_();
    auto optimizer = std::make_shared<Optimizer>(parameters, options);
    return [=](const List& gradients) {
      for (std::size_t i = 0; i < gradients.size(); ++i) {
        parameters[i].mutable_grad() = gradients[i];
      }
      optimizer->step();
    };
  });
}

TEST(Optimizers, OfLibtorchStepAsOnPlainTensors) {
  expectPlainSteps<torch::optim::SGD>(torch::optim::SGDOptions(0.1));
  expectPlainSteps<torch::optim::SGD>(
      torch::optim::SGDOptions(0.1).momentum(0.9).nesterov(true).weight_decay(0.01));
  expectPlainSteps<torch::optim::Adagrad>(torch::optim::AdagradOptions(0.1).lr_decay(0.01));
  expectPlainSteps<torch::optim::Adam>(torch::optim::AdamOptions(0.1).amsgrad(true));
  expectPlainSteps<torch::optim::AdamW>(torch::optim::AdamWOptions(0.1).weight_decay(0.01));
  expectPlainSteps<torch::optim::RMSprop>(
      torch::optim::RMSpropOptions(0.1).centered(true).momentum(0.5));
}

List zerosLike(const List& list) {
  List zeros;
  for (const auto& tensor : list) zeros.push_back(at::zeros_like(tensor));
  return zeros;
}

// The calls of PyTorch's foreach optimizers, in their order.
Step adadelta(const List& parameters) {
  return
      [=, squares = zerosLike(parameters), moved = zerosLike(parameters)](const List& gradients) {
        at::_foreach_mul_(squares, 0.9);
        at::_foreach_addcmul_(squares, gradients, gradients, 0.1);
        const auto scale = at::_foreach_add(squares, 1e-6);
        at::_foreach_sqrt_(scale);
        const auto delta = at::_foreach_add(moved, 1e-6);
        at::_foreach_sqrt_(delta);
        at::_foreach_div_(delta, scale);
        at::_foreach_mul_(delta, gradients);
        at::_foreach_mul_(moved, 0.9);
        at::_foreach_addcmul_(moved, delta, delta, 0.1);
        at::_foreach_add_(parameters, delta, -1.0);
      };
}

Step adagrad(const List& parameters) {
  List sums;
  for (const auto& parameter : parameters) sums.push_back(at::full_like(parameter, 0.1));
  return [=](const List& gradients) {
    at::_foreach_addcmul_(sums, gradients, gradients, 1);
    const auto scale = at::_foreach_sqrt(sums);
    at::_foreach_add_(scale, 1e-10);
    const auto scaled = at::_foreach_mul(gradients, Scalars{-0.1, -0.2, -0.3});
    at::_foreach_addcdiv_(parameters, scaled, scale);
  };
}

// With a decay it is AdamW.
Step adam(const List& parameters, double decay) {
  return [=, averages = zerosLike(parameters), squares = zerosLike(parameters),
          step = std::make_shared<int>(0)](const List& gradients) {
    ++*step;
    if (decay != 0) at::_foreach_mul_(parameters, 1 - 0.1 * decay);
    at::_foreach_lerp_(averages, gradients, 0.1);
    at::_foreach_mul_(squares, 0.999);
    at::_foreach_addcmul_(squares, gradients, gradients, 0.001);
    const auto scale = at::_foreach_sqrt(squares);
    at::_foreach_div_(scale, Scalars(3, std::sqrt(1 - std::pow(0.999, *step))));
    at::_foreach_add_(scale, 1e-8);
    at::_foreach_addcdiv_(parameters, averages, scale,
                          Scalars(3, -0.1 / (1 - std::pow(0.9, *step))));
  };
}

Step rmsprop(const List& parameters) {
  return [=, squares = zerosLike(parameters)](const List& gradients) {
    at::_foreach_mul_(squares, 0.99);
    at::_foreach_addcmul_(squares, gradients, gradients, 0.01);
    const auto scale = at::_foreach_sqrt(squares);
    at::_foreach_add_(scale, 1e-8);
    at::_foreach_addcdiv_(parameters, gradients, scale, -0.01);
  };
}

Step sgd(const List& parameters) {
  return [=](const List& gradients) { at::_foreach_add_(parameters, gradients, -0.1); };
}

Step sgdWithMomentum(const List& parameters) {
  return [=, momenta = std::make_shared<List>()](const List& gradients) {
    if (momenta->empty()) {
      for (const auto& gradient : gradients) momenta->push_back(gradient.detach().clone());
    } else {
      at::_foreach_mul_(*momenta, 0.9);
      at::_foreach_add_(*momenta, gradients, 1);
    }
    at::_foreach_add_(parameters, *momenta, -0.1);
  };
}

TEST(Optimizers, OfForeachCallsStepAsOnPlainTensors) {
  expectPlainSteps(adadelta);
  expectPlainSteps(adagrad);
  expectPlainSteps([](const List& parameters) { return adam(parameters, 0); });
  expectPlainSteps([](const List& parameters) { return adam(parameters, 0.01); });
  expectPlainSteps(rmsprop);
  expectPlainSteps(sgd);
  expectPlainSteps(sgdWithMomentum);
}

TEST(Optimizers, OfFusedCallsStepAsOnPlainTensors) {
  expectPlainSteps([](const List& parameters) -> Step {
    List steps;
    while (steps.size() < parameters.size()) steps.push_back(at::zeros({}));
    return [=, averages = zerosLike(parameters),
            squares = zerosLike(parameters)](const List& gradients) {
      at::_foreach_add_(steps, 1);
      at::_fused_adamw_(parameters, gradients, averages, squares, {}, steps, 0.1, 0.9, 0.999, 0.01,
                        1e-8, /*amsgrad=*/false, /*maximize=*/false);
    };
  });
  expectPlainSteps([](const List& parameters) -> Step {
    return [=, momenta = zerosLike(parameters),
            first = std::make_shared<bool>(true)](const List& gradients) {
      at::_fused_sgd_(parameters, gradients, momenta, 0.01, 0.9, 0.1, 0, /*nesterov=*/false,
                      /*maximize=*/false, *first);
      *first = false;
    };
  });
}

// Otherwise each rank would broadcast them to its part, or read out of bounds.
TEST(Optimizers, RefuseGradientsOfOtherShapes) {
  const auto runtime = ranks({2});
  const auto list = [&](at::IntArrayRef shape, const char* placements) {
    return List{distribute(runtime, numbered(shape), placed({placements}))};
  };
  const List parameter = list({4}, "S(0)");
  EXPECT_THROW(at::_foreach_add_(parameter, list({2}, "R")), c10::Error);
  EXPECT_EQ(
      refusalOf([&] {
        at::_foreach_add_(parameter, list({2, 4}, "R"));
      }),
      "element 0 of a list of aten._foreach_add_.List: output with shape [4] doesn't match the "
      "broadcast shape [2, 4]");
  EXPECT_EQ(refusalOf([&] {
              at::_fused_sgd_(parameter, list({2}, "S(0)"), {}, 0, 0, 0.1, 0, /*nesterov=*/false,
                              /*maximize=*/false, /*is_first_step=*/false);
            }),
            "element 0 of a list of aten._fused_sgd_: grads: got shape [2], expected [4]");
}

// libtorch's kernels would access memory beyond the end of the shorter list.
TEST(Optimizers, RefuseListsOfOtherLengths) {
  const auto runtime = ranks({2});
  const auto list = [&](std::size_t length) {
    List made;
    while (made.size() < length) {
      made.push_back(distribute(runtime, numbered({4}), placed({"S(0)"})));
    }
    return made;
  };
  const List three = list(3);
  List out = list(2);
  const std::string lengths = "Tensor lists must have the same number of tensors: got ";
  EXPECT_EQ(refusalOf([&] { at::_foreach_sin_out(out, three); }),
            "aten._foreach_sin.out: argument out: " + lengths + "2, expected 3 as self has");
  EXPECT_EQ(refusalOf([&] { at::_foreach_sin_out(out, List()); }),
            "aten._foreach_sin.out: argument self: Tensor list must have at least one tensor.");
  EXPECT_THROW(at::_foreach_add_(three, list(4)), c10::Error);
  const std::vector<at::Scalar> two{1, 2};
  EXPECT_EQ(
      refusalOf([&] { at::_foreach_mul_(three, two); }),
      "aten._foreach_mul_.ScalarList: argument scalars: " + lengths + "2, expected 3 as self has");
  const auto step = [&](const List& gradients, const List& momenta, double momentum) {
    return refusalOf([&] {
      at::_fused_sgd_(three, gradients, momenta, 0, momentum, 0.1, 0, /*nesterov=*/false,
                      /*maximize=*/false, /*is_first_step=*/false);
    });
  };
  EXPECT_EQ(step(list(2), {}, 0),
            "aten._fused_sgd_: argument grads: " + lengths + "2, expected 3 as self has");
  EXPECT_EQ(step(list(3), list(1), 0.9), "aten._fused_sgd_: argument momentum_buffer_list: " +
                                             lengths + "1, expected 3 as self has");
  EXPECT_EQ(step(list(3), {}, 0), "nothing was refused");
}

// An `out=` tensor is not resized, because each rank would resize its local part.
TEST(Optimizers, WriteIntoTensorsOfTheResultsShape) {
  const auto runtime = ranks({2});
  const auto laid = [&](at::IntArrayRef shape) {
    return distribute(runtime, numbered(shape), placed({"R"}));
  };
  List wider{laid({2, 4})}, same{laid({1, 4})};
  const std::string differs = "output with shape [2, 4] doesn't match the broadcast shape [1, 4]";
  EXPECT_EQ(refusalOf([&] {
              at::_foreach_sin_out(wider, List{laid({1, 4})});
            }),
            "element 0 of a list of aten._foreach_sin.out: " + differs);
  EXPECT_EQ(refusalOf([&] {
              at::gt_out(wider[0], laid({1, 4}), 2);
            }),
            "aten.gt.Scalar_out: " + differs);
  at::_foreach_sin_out(same, List{laid({1, 4})});
  EXPECT_TRUE(at::equal(whole(same[0]), numbered({1, 4}).sin()));
}

TEST(Optimizers, ReducePartialGradientsBeforeTheStep) {
  const auto runtime = ranks({2, 2});
  const auto start = numbered({4, 6}, 31), gradient = numbered({4, 6}, 13);
  const List parameter{distribute(runtime, start.clone(), placed({"S(0)", "R"}))};
  const List terms{distribute(runtime, gradient, placed({"P(sum)", "R"}))};
  EXPECT_EQ(collectivesOf(*runtime, [&] { at::_foreach_add_(parameter, terms, -0.5); }),
            "reduce_scatter");
  EXPECT_EQ(placementsOf(parameter.front()), "(S(0), R)");
  EXPECT_TRUE(at::equal(whole(parameter.front()), start - 0.5 * gradient));
}

// The norm covers all shards. Each shard is scaled by it in place.
TEST(Optimizers, ClipGradientsByTheirCommonNorm) {
  for (const double most : {0.5, 1e6}) {
    for (const double kind : {1.0, 2.0, std::numeric_limits<double>::infinity()}) {
      for (const auto& layout : kParameterLayouts) {
        SCOPED_TRACE(toText(placed(layout.parameters.front())));
        const auto runtime = ranks(layout.mesh);
        auto expected = parameters();
        auto got = laid(runtime, layout, parameters());
        const auto lying = laid(runtime, layout, gradients(0));
        const auto whole = gradients(0);
        for (std::size_t i = 0; i < got.size(); ++i) {
          expected[i].requires_grad_().mutable_grad() = whole[i];
          got[i].requires_grad_().mutable_grad() = lying[i];
        }
        EXPECT_NEAR(torch::nn::utils::clip_grad_norm_(got, most, kind),
                    torch::nn::utils::clip_grad_norm_(expected, most, kind), 1e-4);
        expectSame(lying, whole, layout);
      }
    }
  }
}

// If the gradient of one rank overflows, all ranks skip the step and reduce the scale.
TEST(Optimizers, ScaleDownWhereOneRankOverflows) {
  for (const bool overflows : {false, true}) {
    for (const auto& layout : kParameterLayouts) {
      SCOPED_TRACE(toText(placed(layout.parameters.front())) + (overflows ? " overflows" : ""));
      const auto runtime = ranks(layout.mesh);
      auto whole = gradients(0);
      if (overflows) whole[1].select(0, 4).fill_(std::numeric_limits<float>::infinity());
      const auto everywhere = [&](double value) {
        return distribute(runtime, at::full({1}, value),
                          Placements(layout.mesh.size(), Replicate{}));
      };
      auto scale = everywhere(1024), found = everywhere(0);
      auto tracker = distribute(runtime, at::zeros({1}, at::kInt),
                                Placements(layout.mesh.size(), Replicate{}));
      const auto sharded = laid(runtime, layout, whole);
      at::_amp_foreach_non_finite_check_and_unscale_(sharded, found, everywhere(0.5));
      at::_amp_update_scale_(scale, tracker, found, 2, 0.5, 2000);
      EXPECT_EQ(shardlens::whole(found).item<float>(), overflows ? 1 : 0);
      EXPECT_EQ(shardlens::whole(scale).item<float>(), overflows ? 512 : 1024);
      EXPECT_EQ(shardlens::whole(tracker).item<int>(), overflows ? 0 : 1);
      EXPECT_TRUE(at::equal(shardlens::whole(sharded[0]), whole[0] * 0.5));
      EXPECT_EQ(placementsOf(sharded[0]), toText(placed(layout.parameters[0])));
    }
  }
}

}  // namespace
}  // namespace shardlens
