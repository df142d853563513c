/* The twelve functions of cvm-runtime's C interface, on Tally's engines: libtally_cvm.so.
 *
 *   void *net = NULL;
 *   if (CVMAPILoadModel(json, json_len, params, params_len, &net, CVMAPI_CPU, 0) != CVMAPI_SUCCEED) return;
 *   CVMAPIInference(net, input, input_len, output);
 *   CVMAPIFreeModel(net);
 *
 * Names, signatures, status codes and byte conventions are those of cvm-runtime, so a program that was built for it only
 * needs another library. docs/guides/embed_cvm.md says how to switch, and what differs.
 *
 * Every function returns one of
 *   0  CVMAPI_SUCCEED
 *   1  CVMAPI_ERROR_LOGIC    the model or the input is refused. Depends on the bytes alone: the same on every machine.
 *   2  CVMAPI_ERROR_RUNTIME  this node failed: no such device, no memory, or a pointer that may not be null is null
 * and says nothing more. Where the environment variable TALLY_CVM_LOG is set and not empty, each failure also writes one
 * line to standard error:
 *   tally_cvm: CVMAPILoadModel: error[cvm_param_shape]: 'w' is [8,4,3,3] in the params, [8,4,1,1] in the graph
 * Nothing is ever written to standard output.
 *
 * Everything in a model and in an input may be hostile. What is trusted: that pointers have the bytes that their lengths
 * say, and that `net` came from CVMAPILoadModel and was not freed. A failed call writes no output except as stated here.
 *
 * All functions may be called by any thread at any time; one model serves many inferences at once. Only
 * CVMAPIFreeModel needs the others of its model to have returned. There is no state except in the models.
 */
#ifndef TALLY_CVM_H_
#define TALLY_CVM_H_

#define TALLY_CVM_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

enum { CVMAPI_SUCCEED = 0, CVMAPI_ERROR_LOGIC = 1, CVMAPI_ERROR_RUNTIME = 2 };

/* Devices: the engine for serving, the same on a GPU, and the definition over unbounded integers, which is slow. All give
 * the same bytes. A build without CUDA has no GPU (status 2). */
enum { CVMAPI_CPU = 0, CVMAPI_GPU = 1, CVMAPI_FORMAL = 2 };

/* What CVMAPIGetVersion and CVMAPIGetPreprocessMethod write at most, with the terminating zero. */
enum { CVMAPI_STRING_BYTES = 33 };

/* Reads a graph (JSON) and its parameters, proves that no run of them can overflow, and prepares the engine. `*net` is
 * the model, or null after a failure. `graph_json` needs no terminating zero. `device_id` is ignored: there is one CPU.
 * Refused (1): a length is negative; the model is malformed, invalid, or outside cvm-runtime's limits: 2^32 bytes of
 * storage, 2^31 - 1 bytes of input. */
TALLY_CVM_EXPORT int CVMAPILoadModel(const char *graph_json, int graph_strlen, const char *param_bytes,
                                     int param_strlen, void **net, int device_type, int device_id);

/* Null is fine. */
TALLY_CVM_EXPORT int CVMAPIFreeModel(void *net);

/* Runs the model. `input_data` has exactly CVMAPIGetInputLength bytes, else the call is refused (1): elements of
 * CVMAPIGetInputTypeSize bytes, little endian, row-major. An element outside the precision p of `data` counts as the
 * nearest of +-(2^(p-1) - 1). `output_data` gets CVMAPIGetOutputLength bytes, elements of CVMAPIGetOutputTypeSize bytes.
 * Neither needs an alignment. */
TALLY_CVM_EXPORT int CVMAPIInference(void *net, char *input_data, int input_len, char *output_data);

/* The version that the graph states, such as "cvm_1.0.0", into at least CVMAPI_STRING_BYTES. */
TALLY_CVM_EXPORT int CVMAPIGetVersion(void *net, char *version);

/* What the graph states as its `postprocess` (the name of this function is a misnomer), such as "argmax" or "", into at
 * least CVMAPI_STRING_BYTES. */
TALLY_CVM_EXPORT int CVMAPIGetPreprocessMethod(void *net, char *method);

/* Bytes. */
TALLY_CVM_EXPORT int CVMAPIGetInputLength(void *net, unsigned long long *size);
TALLY_CVM_EXPORT int CVMAPIGetOutputLength(void *net, unsigned long long *size);

/* Bytes of an element: 1 where the precision of the input is at most 8, else 4; of the output the same, and 4 after
 * postprocess "argmax" or "detection". */
TALLY_CVM_EXPORT int CVMAPIGetInputTypeSize(void *net, unsigned long long *size);
TALLY_CVM_EXPORT int CVMAPIGetOutputTypeSize(void *net, unsigned long long *size);

/* Bytes of the buffers that the graph declares, as cvm-runtime would allocate them. Tally needs less. */
TALLY_CVM_EXPORT int CVMAPIGetStorageSize(void *net, unsigned long long *size);

/* The gas that the chain charges, in cvm-runtime's units (docs/spec/gas.md#schedule-cvm), for the graph without its
 * postprocess. Refused (1): cvm-runtime's limits for gas are exceeded. */
TALLY_CVM_EXPORT int CVMAPIGetGasFromModel(void *net, unsigned long long *gas);

/* The same from the graph alone, which ends with a zero. Refused (1) also where the graph is malformed or its declared
 * shapes are wrong. */
TALLY_CVM_EXPORT int CVMAPIGetGasFromGraphFile(const char *graph_json, unsigned long long *gas);

#ifdef __cplusplus
}
#endif

#endif /* TALLY_CVM_H_ */
