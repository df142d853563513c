// Attributes of the control family.
#pragma once

#include <limits>

#include "ops/attributes.h"

namespace tally {

struct ConstantAttrs {
  int64_t index = 0;  // into the module's constants

  static constexpr auto Fields() {
    return std::tuple(IntField("index", &ConstantAttrs::index, 0, std::numeric_limits<int32_t>::max()));
  }
};

struct CallAttrs {
  int64_t function = 1;

  static constexpr auto Fields() { return std::tuple(FunctionField("function", &CallAttrs::function)); }
};

struct IfAttrs {
  int64_t then_function = 1;
  int64_t else_function = 1;

  static constexpr auto Fields() {
    return std::tuple(FunctionField("then_function", &IfAttrs::then_function),
                      FunctionField("else_function", &IfAttrs::else_function));
  }
};

struct LoopAttrs {
  int64_t body = 1;
  int64_t trips = 1;       // at most
  int64_t states = 0;      // how many values are carried from one iteration to the next
  int64_t scanned = 0;     // how many operands, the last, are cut into one slice for each iteration
  bool condition = false;  // the loop ends early when the body says so

  static constexpr auto Fields() {
    return std::tuple(FunctionField("body", &LoopAttrs::body),
                      IntField("trips", &LoopAttrs::trips, 1, std::numeric_limits<int32_t>::max()),
                      IntField("states", &LoopAttrs::states, 0, 1023),
                      IntField("scanned", &LoopAttrs::scanned, 0, 1023),
                      BoolField("condition", &LoopAttrs::condition));
  }
};

}  // namespace tally
