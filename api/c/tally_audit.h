/** @file
 * Audits of receipts, with modules and inputs from a store. tally.h includes this header. */
#ifndef TALLY_AUDIT_H_
#define TALLY_AUDIT_H_

#include "tally.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup audits Audits
 * Whether the runs of receipts give what they claim, with modules and inputs from a store of objects, each
 * of which has the name of its digest (docs/spec/audit.md).
 * @{ */

/** What a store gives for one name; it exists during one call of a tally_get_object. */
typedef struct tally_object tally_object;

/** A store that is no folder: the object with a name such as "modules/3f/3f0c...tally". It gives the bytes to
 * tally_object_set and returns #TALLY_OK; #TALLY_NOT_FOUND where it has no such object (`store_missing`);
 * another status where it fails (`store_failed`), which another try may end. The bytes are compared with the
 * digest. Called by threads that audit, at the same time too; it neither throws nor jumps out. */
typedef tally_status tally_get_object(void *user, const char *name, tally_object *object);

/** Copies the bytes of an object. */
TALLY_API void tally_object_set(tally_object *object, const void *bytes, size_t size);
/** Says why a store fails, for people. */
TALLY_API void tally_object_explain(tally_object *object, const char *text);

/** It keeps the modules and plans that it used last. */
typedef struct tally_auditor {
  uint64_t handle; /**< 0: null */
} tally_auditor;

/** Where an auditor finds objects, and how it runs claims. Limits: 0: none. */
typedef struct tally_auditor_options {
  size_t size;           /**< sizeof(tally_auditor_options) */
  const char *folder;    /**< a store of files; NULL: `get` is the store */
  tally_get_object *get; /**< the store where `folder` is NULL; NULL otherwise */
  void *user;            /**< for `get` */
  const char *engine;    /**< "formal", "reference", "cpu" or "cuda"; NULL: "cpu" */
  const char *level;     /**< the most instructions for the cpu engine; NULL: all there are */
  int64_t gas_limit;     /**< a claim whose module has more gas is CANNOT_RECOMPUTE, with `gas_limit` */
  int64_t memory_limit;  /**< the same for its arena: `memory_limit` */
  int64_t kept_bytes;    /**< most bytes of modules and plans that it keeps; 0: 1 GiB */
  int32_t threads;       /**< in each run, 0 to 1024; 0: 1 */
  int32_t products; /**< 1: check a claim by the products that the store has of its run, if it has them */
} tally_auditor_options;

/** A new auditor. Errors: `api_option`, `engine_unavailable`. */
TALLY_API tally_status tally_auditor_make(const tally_auditor_options *options, tally_auditor *auditor,
                                          tally_error *error);
/** Closes the handle; a null one is fine. Errors: `api_handle`. */
TALLY_API tally_status tally_auditor_close(tally_auditor auditor);

/** Audits a receipt: `standing` is what tally_receipt_verify finds, and `run` what tally_receipt_recompute
 * finds with objects of the store. The result depends on the receipt, the evidence and the objects with the
 * right digests, so an audit may be repeated, by anybody. Receipts of one module are to follow each other.
 * `evidence` may be NULL. A finding that does not hold is no error. */
TALLY_API tally_status tally_audit(tally_auditor auditor, tally_receipt receipt,
                                   const tally_evidence *evidence, tally_finding *standing,
                                   tally_finding *run, tally_error *error);
/** Audits a claim, of `size` bytes, for all its receipts at once. `trace` is that of the run, where `traced`
 * is 1 and the run took place and gave what is claimed: then `has_trace` is 1, and a receipt that names another
 * trace DIVERGED, with `trace_diverged`. Errors: those of stage malformed. */
TALLY_API tally_status tally_audit_claim(tally_auditor auditor, const void *claim, size_t size,
                                         int32_t traced, tally_finding *run, uint8_t trace[32],
                                         int32_t *has_trace, tally_error *error);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
