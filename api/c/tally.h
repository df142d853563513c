/** @file
 * libtally: integer modules loaded, planned, run, committed to and verified. */
/** @mainpage Tally in C
 * The areas: @ref errors, @ref modules, @ref tensors, @ref plans, @ref runs, @ref receipts,
 * @ref audits, @ref certificates.
 *
 *     tally_error error = {.size = sizeof error};
 *     tally_module module;
 *     tally_plan plan;
 *     if (tally_module_load_file("digits.tally", NULL, &module, &error) ||
 *         tally_plan_make(module, NULL, &plan, &error)) {
 *       fprintf(stderr, "%s: %s\n", error.label, error.message);
 *       return 1;
 *     }
 *     int8_t image[256];
 *     int16_t scores[10];
 *     tally_tensor input = {.data = image, .bytes = sizeof image, .storage = TALLY_I8};
 *     tally_tensor result = {.data = scores, .bytes = sizeof scores, .storage = TALLY_I16};
 *     tally_plan_run(plan, &input, 1, &result, 1, NULL, &error);
 *     tally_plan_close(plan);
 *     tally_module_close(module);
 *
 * **Errors.** Functions return a #tally_status, 0 where they did what was asked, and describe what else
 * there is in a #tally_error that the caller owns. No exception leaves the library. A function that fails
 * writes none of its results, unless it says so; handles that it was to make are null then.
 *
 * **Handles** are numbers, not addresses. One that is null, closed, or of another kind is refused with
 * `api_handle`, whatever the caller did with it. Closing is allowed while others use the object: they
 * finish, and what nobody uses any more is freed then. A plan keeps its module.
 *
 * **Threads.** Every function may be called by any number of threads at once, on the same objects too.
 * What the caller passes by address must not change during the call.
 *
 * **fork.** Where no other thread is in a call of this library, a process may fork. In the child, modules,
 * keys and receipts work on; plans are refused with `api_forked`, since their threads are the parent's,
 * and the child makes its own.
 *
 * **Structs** begin with `size`, which the caller sets to sizeof of the struct, all other fields being 0
 * where it does not care: `tally_plan_options options = {.size = sizeof options};`. Later versions add
 * fields at the end. A library that is older than its caller's header refuses fields that it does not
 * know, unless they are 0 (`api_struct`).
 *
 * Memory of any alignment is accepted. Where it begins at a multiple of 64 bytes and is dense, in the
 * storage that the module says, the cpu engine works in it without a copy. */
#ifndef TALLY_H_
#define TALLY_H_

#include <stddef.h>
#include <stdint.h>

#include "tally_certificate.h"

#if defined(__GNUC__) && !defined(_WIN32)
#define TALLY_API __attribute__((visibility("default")))
#else
#define TALLY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup errors Errors and versions
 * @{ */

/** What a function returns. The numbers are those of gRPC's status codes. */
typedef int32_t tally_status;
enum {
  TALLY_OK = 0,
  TALLY_CANCELLED = 1,           /**< by tally_cancel */
  TALLY_INVALID_ARGUMENT = 3,    /**< the bytes or the arguments have to change */
  TALLY_NOT_FOUND = 5,           /**< no such file, or none that can be read */
  TALLY_RESOURCE_EXHAUSTED = 8,  /**< a larger limit, or more memory, would do */
  TALLY_FAILED_PRECONDITION = 9, /**< no retry helps until something else changes */
  TALLY_OUT_OF_RANGE = 11,       /**< the caller's memory is too short */
  TALLY_UNIMPLEMENTED = 12,      /**< it has a meaning, but not in this version */
  TALLY_INTERNAL = 13,           /**< a fault of the library */
  TALLY_UNAVAILABLE = 14,        /**< a device failed; a retry may succeed */
  TALLY_DATA_LOSS = 15           /**< the system fails to read a file */
};

/** What went wrong. After a call that succeeds, its texts are empty. Passing no error (NULL) is fine. */
typedef struct tally_error {
  size_t size;         /**< sizeof(tally_error) */
  tally_status status; /**< as returned */
  char stage[12];      /**< whose fault: malformed, invalid, refused, proof, file, request or fault */
  char label[48];      /**< the identity of the refusal, which never changes: docs/spec/errors.md */
  char message[440];   /**< the values at fault, for people, in UTF-8; cut where it is longer */
} tally_error;

/** The release of the library. */
TALLY_API const char *tally_version(void);
/** The newest version of the specification that it validates. */
TALLY_API uint32_t tally_spec_version(void);

/** An engine of the specification, whether this build and this machine have it or not. */
typedef struct tally_engine_info {
  size_t size;         /**< sizeof(tally_engine_info) */
  const char *name;    /**< "formal", "reference", "cpu", "cuda"; valid for ever */
  const char *summary; /**< what it is for, or why it is not available; valid for ever */
  int32_t available;   /**< 1 or 0 */
} tally_engine_info;

/** Engine `index`, from 0 on. Errors: `api_index` where there are no more. */
TALLY_API tally_status tally_engine(size_t index, tally_engine_info *info, tally_error *error);

/** @} */
/** @defgroup modules Modules
 * @{ */

/** A module that has been validated: shapes, intervals, gas and memory are known, and no run of it can
 * overflow. */
typedef struct tally_module {
  uint64_t handle; /**< 0: null */
} tally_module;

/** How a module is loaded. Limits are of what validation finds; 0: none. */
typedef struct tally_load_options {
  size_t size;          /**< sizeof(tally_load_options) */
  uint64_t max_bytes;   /**< most bytes of the file; more: `file_size` */
  int64_t gas_limit;    /**< most gas of a run; more: `gas_limit` */
  int64_t memory_limit; /**< bytes of the arena that the specification gives a run; more: `memory_limit` */
  /** For tally_module_load_bytes: bytes that begin at a multiple of 64 are used where they are, and must not
   * change, until this is called with `user`, once, by the thread that gives up the module or its last plan;
   * also where loading fails. NULL, or bytes that begin elsewhere: they are copied. */
  void (*release)(void *user);
  void *user; /**< for `release` */
} tally_load_options;

/** Loads the file at `path`, whose pages are mapped and used in place: processes with one model share them.
 * Whoever can write to the file changes the module; replace models by renaming. `options` may be NULL.
 * Errors: `file_open`, `file_size`, `file_map`; the labels of stages malformed and invalid; `gas_limit`,
 * `memory_limit`. */
TALLY_API tally_status tally_module_load_file(const char *path, const tally_load_options *options,
                                              tally_module *module, tally_error *error);

/** The same for an open regular file, whatever its position. The descriptor stays the caller's. */
TALLY_API tally_status tally_module_load_descriptor(int fd, const tally_load_options *options,
                                                    tally_module *module, tally_error *error);

/** The same for `size` bytes of a file. */
TALLY_API tally_status tally_module_load_bytes(const void *bytes, size_t size,
                                               const tally_load_options *options, tally_module *module,
                                               tally_error *error);

/** Closes the handle; a null one is fine. Errors: `api_handle`. */
TALLY_API tally_status tally_module_close(tally_module module);

/** The identity of the module: the hash that claims and receipts name it by. The first call reads all
 * constants. */
TALLY_API tally_status tally_module_id(tally_module module, uint8_t id[32], tally_error *error);

/** What validation proved of a module. */
typedef struct tally_module_info {
  size_t size;            /**< sizeof(tally_module_info) */
  size_t params;          /**< inputs of a run */
  size_t results;         /**< results of a run */
  size_t instructions;    /**< in all functions */
  int64_t gas;            /**< price of a run, the same for every input */
  int64_t arena_bytes;    /**< that the specification gives a run */
  int64_t constant_bytes; /**< weights and tables */
  int32_t spec_version;   /**< that the module asks for */
  char profile[12];       /**< "core" or "cvm" */
} tally_module_info;

/** What is proven of the module. */
TALLY_API tally_status tally_module_get_info(tally_module module, tally_module_info *info,
                                             tally_error *error);

/** How elements are stored: signed, in the machine's byte order, which is little-endian. */
enum { TALLY_I8 = 0, TALLY_I16 = 1, TALLY_I32 = 2, TALLY_I64 = 3 };

/** The most dimensions of a shape. */
enum { TALLY_MAX_RANK = 8 };

/** A parameter or a result. */
typedef struct tally_value_info {
  size_t size;                   /**< sizeof(tally_value_info) */
  size_t bytes;                  /**< size of the dense tensor in `storage` */
  int64_t shape[TALLY_MAX_RANK]; /**< the first `rank` dimensions; 0 after them */
  int32_t rank;                  /**< 0 to 8 */
  int32_t storage;               /**< the narrowest that holds the interval */
  int64_t lowest;                /**< least element: a parameter refuses others */
  int64_t highest;               /**< largest element: a result has none beyond these */
  /** 1: integers are reals on a grid: (integer - zero_point) * multiplier * 2^-shift. 0: they are none. */
  int32_t has_grid;
  int64_t multiplier; /**< the grid's */
  int64_t shift;      /**< the grid's; may be negative */
  int64_t zero_point; /**< the integer that is the real 0 */
  char name[264];     /**< unique among parameters, and among results */
} tally_value_info;

/** Parameter `index`. Errors: `api_index`. */
TALLY_API tally_status tally_module_param(tally_module module, size_t index, tally_value_info *info,
                                          tally_error *error);
/** Result `index`. Errors: `api_index`. */
TALLY_API tally_status tally_module_result(tally_module module, size_t index, tally_value_info *info,
                                           tally_error *error);

/** @} */
/** @defgroup tensors Tensors
 * @{ */

/** Integers in the caller's memory. This struct does not change in later versions. */
typedef struct tally_tensor {
  void *data;             /**< the memory, which only results are written to */
  size_t bytes;           /**< its size. No element may be outside; a dense tensor fills it */
  int32_t storage;        /**< TALLY_I8 .. TALLY_I64. A result's may be wider than the module says */
  int32_t rank;           /**< dimensions in `shape` */
  const int64_t *shape;   /**< NULL: that of the parameter or the result, if any */
  const int64_t *strides; /**< bytes between neighbours, by dimension; NULL: dense and row-major */
  size_t offset;          /**< where element [0, .., 0] is in `data`, if there are strides */
} tally_tensor;

/** The digest of a value of a run, which `tally run` prints and io-maps bind (docs/spec/commitment.md). It
 * binds the storage: give the one that the module says. The tensor has a shape. Errors: `api_tensor`. */
TALLY_API tally_status tally_tensor_digest(const tally_tensor *tensor, uint8_t digest[32],
                                           tally_error *error);

/** @} */
/** @defgroup plans Plans
 * @{ */

/** What an engine makes of a module once. Immutable: any number of threads may run it at once. */
typedef struct tally_plan {
  uint64_t handle; /**< 0: null */
} tally_plan;

/** How a plan is made. */
typedef struct tally_plan_options {
  size_t size;          /**< sizeof(tally_plan_options) */
  const char *engine;   /**< NULL: "cpu". Results are the same on every engine */
  const char *arch;     /**< the cpu engine's most instructions; NULL: TALLY_ARCH, or all there are */
  int32_t threads;      /**< for a run, 1,024 at most; 0: one. Plans share one pool of threads */
  int32_t reserved;     /**< 0 */
  int64_t memory_limit; /**< bytes that it keeps and a run takes besides; more: `api_plan_memory`. 0: none */
} tally_plan_options;

/** `options` may be NULL. Plans of one module with the same options share what they keep. The first plan of
 * a process for a set of instructions or a device runs a self-test.
 * Errors: `engine_unavailable`, `arch_unknown`, `self_test`, `device_memory`, `device_failed`,
 * `api_option`, `api_plan_memory`. */
TALLY_API tally_status tally_plan_make(tally_module module, const tally_plan_options *options,
                                       tally_plan *plan, tally_error *error);

/** Closes the handle; a null one is fine. Errors: `api_handle`. */
TALLY_API tally_status tally_plan_close(tally_plan plan);

/** What was made. */
typedef struct tally_plan_info {
  size_t size;          /**< sizeof(tally_plan_info) */
  int64_t kept_bytes;   /**< that the plan keeps beside the module: packed weights, above all */
  int64_t memory_bytes; /**< working memory of a run, kept for the next; one for each at a time */
  size_t steps;         /**< that a run takes; 0 for scalar engines */
  int32_t is_lowered;   /**< 0: operators run on their references, which is slow */
  char engine[12];      /**< its name */
} tally_plan_info;

/** What was made. */
TALLY_API tally_status tally_plan_get_info(tally_plan plan, tally_plan_info *info, tally_error *error);

/** @} */
/** @defgroup runs Runs
 * @{ */

/** Ends runs from another thread. */
typedef struct tally_cancellation {
  uint64_t handle; /**< 0: null */
} tally_cancellation;

/** A cancellation that nobody has cancelled yet. */
TALLY_API tally_status tally_cancellation_make(tally_cancellation *cancellation, tally_error *error);
/** Closes the handle; a null one is fine. Errors: `api_handle`. */
TALLY_API tally_status tally_cancellation_close(tally_cancellation cancellation);

/** Runs that have it end before their next step, with `cancelled`; so do those that begin later. Safe in a
 * thread, not in a signal handler. */
TALLY_API tally_status tally_cancel(tally_cancellation cancellation, tally_error *error);

/** Where a function was called: by which instruction of the body around it, and for the how many-th time. */
typedef struct tally_call_site {
  int64_t step;       /**< place of the instruction in the body of its function */
  int64_t invocation; /**< the iteration of a loop, or the branch of an if */
} tally_call_site;

/** A value that a run computed. Pointers are valid during the call. */
typedef struct tally_observed {
  size_t size;                 /**< sizeof(tally_observed), of the library */
  const tally_call_site *path; /**< to the running body; empty in the entry */
  size_t path_length;          /**< call sites */
  int64_t value;               /**< its number in that function */
  int32_t storage;             /**< TALLY_I8 .. TALLY_I64 */
  int32_t rank;                /**< dimensions in `shape` */
  const int64_t *shape;        /**< its dimensions */
  const void *data;            /**< dense and row-major; NULL where roots are observed */
  size_t bytes;                /**< size of `data` */
  const uint8_t *root;         /**< the 32 bytes that a trace commits to; NULL where values are observed */
} tally_observed;

/** What a run shows of its values, in the order in which they are computed. */
enum { TALLY_SHOW_VALUES = 1, TALLY_SHOW_ROOTS = 2 };

/** How a module is run. Limits are compared before the first step, the same on every node; 0: none. */
typedef struct tally_run_options {
  size_t size;                     /**< sizeof(tally_run_options) */
  int64_t gas_limit;               /**< the module's gas above it: `gas_limit` */
  int64_t memory_limit;            /**< the module's arena above it: `memory_limit` */
  tally_cancellation cancellation; /**< null: nobody cancels */
  /** Called by the thread that runs, once for each value; NULL: for none. It may cancel the run, but
   * neither throw nor jump out of it. */
  void (*observer)(void *user, const tally_observed *value);
  void *user;    /**< for `observer` */
  int32_t show;  /**< TALLY_SHOW_VALUES, or TALLY_SHOW_ROOTS of those that traces commit to */
  int32_t check; /**< 1: each value is compared with the references, which takes as long as they do */
} tally_run_options;

/** Runs the plan: one input for each parameter, one result for each result, in the module's order. The
 * memory of a result overlaps no other tensor's. `options` may be NULL. On the cpu engine a run allocates
 * nothing, once as many have been in flight before.
 * Errors, in this order: `api_handle`, `api_forked`, `api_option`; `api_tensor`, `api_overlap`;
 * `gas_limit`, `memory_limit`, `input_count`, `input_shape`, `input_interval`; `result_count`; then
 * `cancelled`, `check_failed`, `device_memory`, `device_failed`. After the last four, results may be
 * written in part; after others they are as they were. */
TALLY_API tally_status tally_plan_run(tally_plan plan, const tally_tensor *inputs, size_t num_inputs,
                                      const tally_tensor *results, size_t num_results,
                                      const tally_run_options *options, tally_error *error);

/** @} */
/** @defgroup receipts Keys, receipts and their verification
 * @{ */

/** An Ed25519 key that signs. */
typedef struct tally_key {
  uint64_t handle; /**< 0: null */
} tally_key;

/** Whose receipts are trusted. */
typedef struct tally_public_key {
  uint64_t handle; /**< 0: null */
} tally_public_key;

/** A new key, from the random numbers of the system. */
TALLY_API tally_status tally_key_generate(tally_key *key, tally_error *error);
/** From PKCS #8 in PEM, without a password: a file of `openssl genpkey -algorithm ed25519`. Errors:
 * `key_format`. */
TALLY_API tally_status tally_key_from_pem(const char *pem, size_t size, tally_key *key, tally_error *error);
/** Closes the handle; a null one is fine. Errors: `api_handle`. */
TALLY_API tally_status tally_key_close(tally_key key);
/** The public key of a key. */
TALLY_API tally_status tally_key_public(tally_key key, tally_public_key *public_key, tally_error *error);
/** From SubjectPublicKeyInfo in PEM. Errors: `key_format`. */
TALLY_API tally_status tally_public_key_from_pem(const char *pem, size_t size, tally_public_key *key,
                                                 tally_error *error);
/** Closes the handle; a null one is fine. Errors: `api_handle`. */
TALLY_API tally_status tally_public_key_close(tally_public_key key);
/** What receipts name the key by. */
TALLY_API tally_status tally_public_key_id(tally_public_key key, uint8_t id[32], tally_error *error);

/** The PEM text with a 0 at its end, into `capacity` bytes of `text`. `size` gets its length without the 0,
 * also where it does not fit (`api_buffer`): 256 bytes are enough. */
TALLY_API tally_status tally_key_pem(tally_key key, char *text, size_t capacity, size_t *size,
                                     tally_error *error);
/** The same for a public key. */
TALLY_API tally_status tally_public_key_pem(tally_public_key key, char *text, size_t capacity, size_t *size,
                                            tally_error *error);

/** A claim, that a module gives these results for these inputs, signed by who ran it. */
typedef struct tally_receipt {
  uint64_t handle; /**< 0: null */
} tally_receipt;

/** What a receipt says besides the claim. */
typedef struct tally_receipt_options {
  size_t size;           /**< sizeof(tally_receipt_options) */
  const uint8_t *nonce;  /**< 32 bytes that the requester drew, or NULL */
  const uint8_t *origin; /**< 32 bytes, the digest of the module's origin (docs/spec/origin.md), or NULL */
  uint64_t issued_at;    /**< seconds since 1970; 0: now */
  int32_t trace;         /**< 1: the receipt names the trace of the run, whose values are hashed for it */
  int32_t reserved;      /**< 0 */
} tally_receipt_options;

/** tally_plan_run, and the receipt of the run. A run that is refused for its gas, memory or inputs has a
 * receipt too: the function returns the refusal, and `receipt` is not null. `options.observer` is NULL.
 * `receipt_options` may be NULL. */
TALLY_API tally_status tally_plan_run_signed(tally_plan plan, const tally_tensor *inputs, size_t num_inputs,
                                             const tally_tensor *results, size_t num_results,
                                             const tally_run_options *options, tally_key key,
                                             const tally_receipt_options *receipt_options,
                                             tally_receipt *receipt, tally_error *error);

/** Reads the text of a receipt. Its signature is not looked at. Errors: `receipt_form`, and others of stage
 * malformed; `proof_version` where it is of a version that is not known. */
TALLY_API tally_status tally_receipt_parse(const char *text, size_t size, tally_receipt *receipt,
                                           tally_error *error);
/** Closes the handle; a null one is fine. Errors: `api_handle`. */
TALLY_API tally_status tally_receipt_close(tally_receipt receipt);
/** The text, as tally_key_pem writes it; 64 KiB are enough. */
TALLY_API tally_status tally_receipt_text(tally_receipt receipt, char *text, size_t capacity, size_t *size,
                                          tally_error *error);

/** What a receipt says. Digests that it lacks are 0. */
typedef struct tally_receipt_info {
  size_t size;         /**< sizeof(tally_receipt_info) */
  uint8_t claim[32];   /**< the id of the claim */
  uint8_t module[32];  /**< the id of the module */
  uint8_t inputs[32];  /**< as tally_module_inputs_digest */
  uint8_t results[32]; /**< as tally_module_results_digest */
  uint8_t key[32];     /**< who signed, as tally_public_key_id */
  uint8_t nonce[32];   /**< the request's */
  uint8_t trace[32];   /**< the digest of the trace */
  uint8_t origin[32];  /**< the digest of the module's origin */
  int32_t has_results; /**< 1 or 0: a run that was refused has none */
  int32_t has_nonce;   /**< 1 or 0 */
  int32_t has_trace;   /**< 1 or 0 */
  int32_t has_origin;  /**< 1 or 0 */
  uint64_t gas;        /**< charged */
  uint64_t issued_at;  /**< seconds since 1970, by the clock of who signed */
  char status[48];     /**< "ok", or the label of the refusal */
} tally_receipt_info;

/** What the receipt says. */
TALLY_API tally_status tally_receipt_get_info(tally_receipt receipt, tally_receipt_info *info,
                                              tally_error *error);

/** The bytes of the claim (docs/spec/claim.md), which are the same in all receipts of it, into `capacity` bytes.
 * `size` gets their number, also where they do not fit (`api_buffer`): 256 bytes are enough. */
TALLY_API tally_status tally_receipt_claim(tally_receipt receipt, void *claim, size_t capacity, size_t *size,
                                           tally_error *error);

/** A word and its reason (docs/spec/receipt.md). */
typedef struct tally_finding {
  size_t size;       /**< sizeof(tally_finding) */
  int32_t holds;     /**< 1: VERIFIED or REPRODUCED */
  char word[20];     /**< VERIFIED, REFUTED, UNVERIFIABLE; REPRODUCED, DIVERGED, CANNOT_RECOMPUTE */
  char label[48];    /**< "" where it holds, else why not: part of the specification */
  char message[440]; /**< for people; where it holds, why a certificate that was given does not convict */
  uint32_t compared; /**< TALLY_COMPARED_...: each part that was looked at and is as the receipt says */
  int32_t may_pass;  /**< 1: another try may end otherwise, as a store or this machine has failed */
} tally_finding;

/** Parts of the evidence that a verdict has compared with the receipt, beside digests and signature. */
enum {
  TALLY_COMPARED_MODULE = 1,      /**< by running it again */
  TALLY_COMPARED_INPUTS = 2,      /**< by running it again */
  TALLY_COMPARED_RESULTS = 4,     /**< those at hand, or of the second run */
  TALLY_COMPARED_TRACE = 8,       /**< that of the second run */
  TALLY_COMPARED_CERTIFICATE = 16 /**< it was judged, and does not convict */
};

/** What a verifier has. */
typedef struct tally_evidence {
  size_t size; /**< sizeof(tally_evidence) */
  tally_public_key
      key; /**< whose receipts are trusted; null: the signature is not checked, and nothing verified */
  const uint8_t *nonce;       /**< 32 bytes, the request's, or NULL */
  const uint8_t *results;     /**< 32 bytes, tally_module_results_digest of the results at hand, or NULL */
  const char *origin;         /**< the text of the module's origin, or NULL */
  size_t origin_size;         /**< its length */
  const uint8_t *certificate; /**< a file that is said to convict the receipt, or NULL */
  size_t certificate_size;    /**< its length */
  const uint8_t *expansion; /**< 32 bytes, the digest of the expansion that the executor has sent, or NULL */
} tally_evidence;

/** Whether a receipt is what it says: signature, digests, request; and whether a certificate convicts it. All
 * evidence that is given is compared. A finding that does not hold is no error. */
TALLY_API tally_status tally_receipt_verify(tally_receipt receipt, const tally_evidence *evidence,
                                            tally_finding *finding, tally_error *error);

/** Whether the run gives what the receipt claims: runs it again, unless it is decided without. `options`:
 * the limits of the verifier, or NULL. */
TALLY_API tally_status tally_receipt_recompute(tally_receipt receipt, tally_plan plan,
                                               const tally_tensor *inputs, size_t num_inputs,
                                               const tally_run_options *options, tally_finding *finding,
                                               tally_error *error);

/** The digest of the inputs of a run, as claims have it. */
TALLY_API tally_status tally_module_inputs_digest(tally_module module, const tally_tensor *inputs,
                                                  size_t num_inputs, uint8_t digest[32], tally_error *error);
/** The same for results. */
TALLY_API tally_status tally_module_results_digest(tally_module module, const tally_tensor *results,
                                                   size_t num_results, uint8_t digest[32],
                                                   tally_error *error);

/** @} */

#ifdef __cplusplus
}
#endif

#include "tally_audit.h"

#endif
