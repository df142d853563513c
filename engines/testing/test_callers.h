// Callers that run one small plan at the same time, for tests: each with an input of its own, and what
// comes of it.
#pragma once

#include <gtest/gtest.h>

#include <barrier>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "engines/scalar/scalar_engine.h"
#include "ops/layout/attrs.h"
#include "ops/linear/attrs.h"
#include "vm/module_builder.h"
#include "vm/plan.h"
#include "vm/validator.h"

namespace tally {

inline constexpr int kCallers = 12;  // more than stream contexts

inline Tensor Noise(const Shape& shape, int seed) {
  std::vector<int64_t> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<int64_t>((i * 37 + static_cast<size_t>(seed) * 101) % 255) - 127;
  }
  return *Tensor::FromValues(shape, Storage::kI8, values);
}

// A product of matrices, which shares memory between the threads of a block, and what goes by elements.
inline std::shared_ptr<const ValidModule> CallersModule() {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({16, 32}), {-127, 127}});
  const ValueId y = b.Op(Opcode::kMatmul, {x, b.Constant(Noise(*Shape::Create({32, 8}), 7))}, MatmulAttrs{});
  b.Result("y", b.Op(Opcode::kRelu, {b.Op(Opcode::kTranspose, {y}, TransposeAttrs{})}));
  return std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
}

struct Caller {
  Tensor input;
  Tensor expected;
};

inline std::vector<Caller> CallersOf(const std::shared_ptr<const ValidModule>& module) {
  const auto reference = MakeReferencePlan(module);
  std::vector<Caller> callers;
  for (int c = 0; c < kCallers; ++c) {
    Tensor input = Noise(module->entry().params[0].shape, c);
    Tensor expected = reference->Execute({{input.view()}}, {})->results[0];
    callers.push_back({std::move(input), std::move(expected)});
  }
  return callers;
}

// body(caller) on kCallers threads that begin together.
template <typename Body>
void AtOnce(Body body) {
  std::barrier start(kCallers);
  std::vector<std::thread> threads;
  for (int c = 0; c < kCallers; ++c) {
    threads.emplace_back([&, c] {
      start.arrive_and_wait();
      body(c);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A run of `caller`: whether it worked. What it gave is then right.
inline absl::Status RunOnce(const Plan& plan, const Caller& caller) {
  const auto outcome = plan.Execute({{caller.input.view()}}, {});
  if (!outcome.ok()) return outcome.status();
  EXPECT_TRUE(SameValues(outcome->results[0].view(), caller.expected.view()));
  return absl::OkStatus();
}

inline void ExpectRight(const Plan& plan, const Caller& caller) {
  const absl::Status status = RunOnce(plan, caller);
  ASSERT_TRUE(status.ok()) << status;
}

}  // namespace tally
