#include "api/c/testing/negative_bytes.h"

#include "api/c/testing/c_case.h"

namespace tally::api {

std::vector<uint8_t> NegativeBytes() { return Bytes(kNegative); }

}  // namespace tally::api
