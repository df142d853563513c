// The text form and the binary form say the same.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "base/error.h"
#include "serializer/decode.h"
#include "serializer/encode.h"
#include "serializer/testing/mutate.h"
#include "serializer/testing/random_module.h"
#include "vm/text/assembler.h"
#include "vm/text/printer.h"

namespace tally {
namespace {

RC_GTEST_PROP(TextProperty, AssemblingUndoesPrinting, (uint64_t seed)) {
  const Module module = RandomModule(seed, *rc::gen::inRange(0, 20));
  const absl::StatusOr<Module> assembled = Assemble(Print(module));
  RC_ASSERT(assembled.ok());
  RC_ASSERT(*assembled == module);
}

// Whatever happens to a text, it has a module that both forms can hold, or a reason why it has none.
RC_GTEST_PROP(TextProperty, WhatAssemblesIsWellFormed, (uint64_t seed)) {
  RandomDraws draws(seed);
  const Module original = RandomModule(seed, *rc::gen::inRange(0, 6));
  std::string text = Print(original);
  Mutate(draws, text);
  const absl::StatusOr<Module> module = Assemble(text);
  RC_CLASSIFY(module.ok() && !(*module == original), "another module");
  if (!module.ok()) {
    RC_ASSERT(ErrorStageOf(module.status()) == ErrorStage::text);
    RC_TAG(ErrorLabel(module.status()));
    return;
  }
  const absl::StatusOr<Module> decoded = Decode(Encode(*module));
  RC_ASSERT(decoded.ok());
  RC_ASSERT(*decoded == *module);
  const absl::StatusOr<Module> again = Assemble(Print(*module));
  RC_ASSERT(again.ok());
  RC_ASSERT(*again == *module);
}

}  // namespace
}  // namespace tally
