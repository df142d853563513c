// Laws of the binary form.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "vm/module.h"

namespace tally {

// OK when `bytes` are refused with a label of stage malformed, or decode to a module that encodes to them.
absl::Status CheckDecoding(std::span<const uint8_t> bytes);

// OK when decoding what `module` encodes to gives `module`, which must be well-formed (serializer/encode.h).
absl::Status CheckEncoding(const Module& module);

}  // namespace tally
