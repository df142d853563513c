// Bytes from anywhere: decoding and validation stay within their labels, and the form is canonical.
#include "serializer/decode.h"

#include "fuzz/oracles/codec.h"
#include "fuzz/oracles/validation.h"
#include "fuzz/targets/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const uint8_t> bytes(data, size);
  tally::Check(tally::CheckDecoding(bytes));
  const auto module = tally::Decode(std::vector<uint8_t>(bytes.begin(), bytes.end()));
  if (module.ok()) tally::Check(tally::CheckValidationIsPure(*module));
  return 0;
}
