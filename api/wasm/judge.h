// The judge for JavaScript, besides tally_certificate.h.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// The element that a certificate convicts by, in its tensor.
typedef struct tally_wrong_element {
  int32_t rank;      // dimensions in `shape`
  int32_t storage;   // 0 .. 3: 8, 16, 32, 64 bits
  int64_t shape[8];  // the first `rank` dimensions; 0 after them
  int64_t element;   // its row-major number
  int64_t claimed;   // as it is claimed to be
  char right[48];    // the integer that it is, or the interval that it should be in
  char value[64];    // whose it is, in words
} tally_wrong_element;

// Writes `wrong` and returns 1 where a certificate that convicts charges an element, else 0.
int32_t tally_certificate_element(const uint8_t* bytes, size_t size, tally_wrong_element* wrong);
}
