// The functions of NVIDIA's cublasLt that benchmarks call, found in its library while the program runs: the
// build needs nothing of it. Tests put functions of their own in their place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tally::bench {

// Types and codes of the library's C interface, as cublasLt.h, cublas_api.h and library_types.h have them.
using CublasStatus = int;
using CublasLtHandle = void*;
using CublasLtObject = void*;  // a descriptor of a product or of a matrix, or preferences

struct CublasLtAlgorithm {
  uint64_t data[8];
};
struct CublasLtHeuristic {
  CublasLtAlgorithm algorithm;
  size_t workspace_bytes;
  CublasStatus state;
  float waves;
  int reserved[4];
};

inline constexpr CublasStatus kCublasSuccess = 0;
inline constexpr int kCompute32I = 72;
inline constexpr int kCudaR32F = 0, kCudaR8I = 3, kCudaR32I = 10;
inline constexpr int kProductPointerMode = 2, kProductTransposeA = 3;  // attributes of products, int32_t
inline constexpr int32_t kTransposed = 1;
inline constexpr int32_t kScalarsOfHost = 0, kAlphaDeviceVectorBetaHost = 4;
inline constexpr int kPreferredWorkspaceBytes = 1;  // uint64_t

// name, name in the library, parameters
#define TALLY_CUBLASLT_FUNCTIONS(F)                                                                       \
  F(GetVersion, "cublasLtGetVersion", size_t, ())                                                         \
  F(Create, "cublasLtCreate", CublasStatus, (CublasLtHandle * handle))                                    \
  F(Destroy, "cublasLtDestroy", CublasStatus, (CublasLtHandle handle))                                    \
  F(CreateProduct, "cublasLtMatmulDescCreate", CublasStatus,                                              \
    (CublasLtObject * product, int compute_type, int scale_type))                                         \
  F(SetProduct, "cublasLtMatmulDescSetAttribute", CublasStatus,                                           \
    (CublasLtObject product, int attribute, const void* value, size_t size))                              \
  F(DestroyProduct, "cublasLtMatmulDescDestroy", CublasStatus, (CublasLtObject product))                  \
  F(CreateMatrix, "cublasLtMatrixLayoutCreate", CublasStatus,                                             \
    (CublasLtObject * matrix, int type, uint64_t rows, uint64_t columns, int64_t pitch))                  \
  F(DestroyMatrix, "cublasLtMatrixLayoutDestroy", CublasStatus, (CublasLtObject matrix))                  \
  F(CreatePreferences, "cublasLtMatmulPreferenceCreate", CublasStatus, (CublasLtObject * preferences))    \
  F(SetPreferences, "cublasLtMatmulPreferenceSetAttribute", CublasStatus,                                 \
    (CublasLtObject preferences, int attribute, const void* value, size_t size))                          \
  F(DestroyPreferences, "cublasLtMatmulPreferenceDestroy", CublasStatus, (CublasLtObject preferences))    \
  F(FindAlgorithms, "cublasLtMatmulAlgoGetHeuristic", CublasStatus,                                       \
    (CublasLtHandle handle, CublasLtObject product, CublasLtObject a, CublasLtObject b, CublasLtObject c, \
     CublasLtObject d, CublasLtObject preferences, int requested, CublasLtHeuristic* found, int* count))  \
  F(Multiply, "cublasLtMatmul", CublasStatus,                                                             \
    (CublasLtHandle handle, CublasLtObject product, const void* alpha, const void* a,                     \
     CublasLtObject a_matrix, const void* b, CublasLtObject b_matrix, const void* beta, const void* c,    \
     CublasLtObject c_matrix, void* d, CublasLtObject d_matrix, const CublasLtAlgorithm* algorithm,       \
     void* workspace, size_t workspace_bytes, void* stream))

struct CublasLtApi {
#define TALLY_CUBLASLT_MEMBER(Name, symbol, Result, parameters) Result(*Name) parameters = nullptr;
  TALLY_CUBLASLT_FUNCTIONS(TALLY_CUBLASLT_MEMBER)
#undef TALLY_CUBLASLT_MEMBER
  std::string library;  // the file
};

// `path`, or where that is empty the first that is found: by the loader, in the toolkit, among the
// packages of a python.
// Errors: unavailable, when there is no such library or it lacks a function.
absl::StatusOr<CublasLtApi> LoadCublasLt(const std::string& path);

}  // namespace tally::bench
