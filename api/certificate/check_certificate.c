/* check_certificate FILE: prints whom a certificate convicts, and ends with 0 if it does, or with 3 if that
 * depends on an expansion. The smallest program on the library of this folder. */
#include <stdio.h>
#include <stdlib.h>

#include "api/certificate/tally_certificate.h"

enum { kMostBytes = 1 << 20 };

static void PrintDigest(const char* name, const uint8_t* digest) {
  printf("%-10s ", name);
  for (int i = 0; i < 32; ++i) printf("%02x", digest[i]);
  printf("\n");
}

int main(int argc, char** argv) {
  static uint8_t bytes[kMostBytes + 1];
  FILE* file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (file == NULL) {
    fprintf(stderr, "usage: check_certificate FILE\n");
    return 2;
  }
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  tally_verdict verdict = {.size = sizeof verdict};
  const int result = tally_check_certificate(bytes, size, &verdict);
  if (result != TALLY_CONVICTED && result != TALLY_DEPENDS) {
    printf("not convicted: %s: %s\n", verdict.label, verdict.text);
    return result;
  }
  printf("%s: %s\n", result == TALLY_DEPENDS ? "convicted if this expansion was sent" : "convicted",
         verdict.text);
  PrintDigest("claim", verdict.claim);
  if (verdict.has_trace) PrintDigest("trace", verdict.trace);
  if (verdict.has_columns) PrintDigest("expansion", verdict.columns);
  return result;
}
