// Shared by tests of the C interface: modules in their text form as bytes, and tensors over vectors.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api/c/tally.h"
#include "serializer/encode.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally::api {

inline std::vector<uint8_t> Bytes(const std::string& text) {
  const auto module = Assemble("tally 1\nprofile core\n" + text);
  EXPECT_TRUE(module.ok()) << module.status();
  return Encode(Validate(*module)->module());
}

// y = -x, of 2 x 3 elements.
inline const std::string kNegative =
    "param %0 \"x\" [2,3] in [-100, 100]\n%1 = negative %0\nresult %1 \"y\"\n";
// Two results; the sum is 16 bits wide.
inline const std::string kTwo =
    "param %0 \"a\" [4] in [-128, 127]\nparam %1 \"b\" [4] in [-128, 127]\n%2 = broadcast_add %0, %1\n"
    "%3 = negative %0\nresult %2 \"sum\"\nresult %3 \"negative\"\n";
// It takes minutes.
inline const std::string kLong =
    "param %0 \"x\" [] in [-100, 100]\n"
    "%1 = loop %0 {body = 1, trips = 2147483647, states = 1, scanned = 0, condition = false}\n"
    "result %1 \"y\"\n"
    "function 1\nparam %0 [] in [0, 2147483646]\nparam %1 [] in [-100, 100]\n%2 = negative %1\n"
    "result %2\n";

// An error that a call fills in.
struct Error : tally_error {
  Error() : tally_error{} { size = sizeof(tally_error); }
};

inline tally_module Load(const std::string& text) {
  tally_module module = {};
  Error error;
  const std::vector<uint8_t> bytes = Bytes(text);
  EXPECT_EQ(tally_module_load_bytes(bytes.data(), bytes.size(), nullptr, &module, &error), TALLY_OK)
      << error.message;
  return module;
}

// A plan of a module that it keeps alone.
inline tally_plan MakePlan(const std::string& text, const char* engine = "cpu", int threads = 1) {
  const tally_module module = Load(text);
  tally_plan_options options = {};
  options.size = sizeof options;
  options.engine = engine;
  options.threads = threads;
  tally_plan plan = {};
  Error error;
  EXPECT_EQ(tally_plan_make(module, &options, &plan, &error), TALLY_OK) << error.message;
  EXPECT_EQ(tally_module_close(module), TALLY_OK);
  return plan;
}

template <typename T>
tally_tensor Dense(std::vector<T>& elements) {
  constexpr int32_t kStorage = sizeof(T) == 1 ? TALLY_I8 : sizeof(T) == 2 ? TALLY_I16 : TALLY_I32;
  return {.data = elements.data(), .bytes = elements.size() * sizeof(T), .storage = kStorage};
}

}  // namespace tally::api
