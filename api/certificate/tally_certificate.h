/** @file
 * The judge of Tally's certificates of fraud, in C: whether one file shows that nobody honest has made a claim
 * with its trace (docs/spec/certificate.md).
 *
 *     tally_verdict verdict = {.size = sizeof verdict};
 *     if (tally_check_certificate(bytes, size, &verdict) == TALLY_CONVICTED) puts(verdict.text);
 */
#ifndef TALLY_CERTIFICATE_H_
#define TALLY_CERTIFICATE_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_CERTIFICATE_EXPORT __attribute__((visibility("default")))
#else
#define TALLY_CERTIFICATE_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup certificates Certificates of fraud
 * The judge needs no module, no weights, no engine and no input: the file has what it takes. It opens no files
 * and starts no threads, may be called from several threads at once, and ends for any bytes.
 * @{ */

/** What tally_check_certificate returns. */
enum {
  TALLY_CONVICTED = 0,     /**< whoever signed this claim with this trace is convicted */
  TALLY_NOT_CONVICTED = 1, /**< the file shows nothing: `label` and `text` say why */
  TALLY_BAD_CALL = 2,      /**< no bytes, no verdict, or a verdict of another size: nothing is written */
  TALLY_DEPENDS = 3 /**< no verdict about a claim: convicted is whoever has answered in a dispute with the
                              expansion `columns`, which anybody can invent; compare it with the one sent */
};

/** What a certificate shows. */
typedef struct tally_verdict {
  size_t size;         /**< set by the caller: sizeof(tally_verdict) */
  int32_t convicted;   /**< 1 or 0; 0 also where it depends on an expansion */
  int32_t has_trace;   /**< 0 where the claim is wrong with any trace */
  int32_t has_columns; /**< 1 where it depends on an expansion: TALLY_DEPENDS */
  uint8_t claim[32];   /**< the id of the claim; compare these with what somebody has signed */
  uint8_t trace[32];   /**< the digest of the trace */
  uint8_t columns[32]; /**< the digest of that expansion */
  char label[48];      /**< "" or a label of docs/spec/errors.md; certificate_expansion where it depends */
  char text[256];      /**< what is wrong, for people; cut where it is longer */
} tally_verdict;

/** Judges a certificate. `bytes` may be anything. */
TALLY_CERTIFICATE_EXPORT int tally_check_certificate(const uint8_t* bytes, size_t size,
                                                     tally_verdict* verdict);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
