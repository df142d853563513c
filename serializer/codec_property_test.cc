// The laws that make the binary form canonical.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <vector>

#include "base/error.h"
#include "serializer/decode.h"
#include "serializer/encode.h"
#include "serializer/testing/mutate.h"
#include "serializer/testing/random_module.h"
#include "vm/limits.h"

namespace tally {
namespace {

RC_GTEST_PROP(CodecProperty, DecodingUndoesEncoding, (uint64_t seed)) {
  const Module module = RandomModule(seed, *rc::gen::inRange(0, 20));
  const std::vector<uint8_t> bytes = Encode(module);
  const absl::StatusOr<Module> decoded = Decode(bytes, nullptr);
  RC_ASSERT(decoded.ok());
  RC_ASSERT(*decoded == module);
  for (size_t i = 0; i < decoded->constants.size(); ++i) {
    if (decoded->recipe(i) != nullptr) continue;  // has no bytes in the file
    const TensorView& constant = decoded->constants[i];
    RC_ASSERT(bytes.data() <= constant.bytes.data());
    RC_ASSERT((constant.bytes.data() - bytes.data()) % kConstantAlignment == 0);
    RC_ASSERT(constant.bytes.data() + constant.bytes.size() <= bytes.data() + bytes.size());
  }
}

// Whatever happens to a file, either its module has these very bytes or there is a reason why it has none.
RC_GTEST_PROP(CodecProperty, EveryAcceptedFileIsTheEncodingOfItsModule, (uint64_t seed)) {
  RandomDraws draws(seed);
  std::vector<uint8_t> bytes = Encode(RandomModule(seed, *rc::gen::inRange(0, 8)));
  const std::vector<uint8_t> original = bytes;
  Mutate(draws, bytes);
  const absl::StatusOr<Module> decoded = Decode(bytes, nullptr);
  RC_CLASSIFY(decoded.ok() && bytes != original, "accepted");
  if (decoded.ok()) {
    RC_ASSERT(Encode(*decoded) == bytes);
    return;
  }
  RC_ASSERT(ErrorStageOf(decoded.status()) == ErrorStage::malformed);
  RC_TAG(ErrorLabel(decoded.status()));
}

}  // namespace
}  // namespace tally
