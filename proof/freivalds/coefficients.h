// The secret numbers of an auditor, by which it checks products of matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash/digest.h"

namespace tally {

// 32 bytes that nobody else knows. An executor who knew them could hide a wrong product.
class AuditSecret {
 public:
  // From the random numbers of the system.
  static AuditSecret Draw();
  explicit AuditSecret(const Digest& bytes) : bytes_(bytes) {}

  // Numbers in [-2^31, 2^31), the same for the same arguments and unknown to others: SHA-256 of the secret,
  // the id, the two numbers and a counter, eight numbers at a time.
  std::vector<int32_t> Coefficients(const Digest& module, uint32_t instruction, uint32_t repetition,
                                    int64_t count) const;

 private:
  Digest bytes_;
};

}  // namespace tally
