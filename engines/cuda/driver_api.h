// The functions of CUDA's driver that the engine calls, found in libcuda.so.1 while the program runs: a
// binary starts on machines without a driver, and its build needs nothing of CUDA's. Tests put functions of
// their own in their place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tally::cuda {

// Types and codes of the driver's C interface, as its documentation has them.
using CuResult = int;
using CuDevice = int;
using CuPointer = unsigned long long;
using CuContext = void*;
using CuModule = void*;
using CuFunction = void*;
using CuStream = void*;
using CuGraph = void*;
using CuGraphExec = void*;

inline constexpr CuResult kCuSuccess = 0;
inline constexpr CuResult kCuOutOfMemory = 2;
inline constexpr CuResult kCuNoDevice = 100;
inline constexpr int kCuComputeCapabilityMajor = 75;  // attributes of devices
inline constexpr int kCuComputeCapabilityMinor = 76;
inline constexpr int kCuSharedBytesForThoseWhoAsk = 97;  // a block's, dynamic and static together
inline constexpr int kCuStaticSharedBytes = 1;           // attributes of functions
inline constexpr int kCuMaxDynamicSharedBytes = 8;
inline constexpr unsigned kCuStreamNonBlocking = 1;
inline constexpr int kCuCaptureRelaxed = 2;  // other calls of this and of other threads go on meanwhile

// name, name in the library, parameters. Drivers keep the functions of older ones, so these are in all from
// CUDA 12.4 on.
#define TALLY_DRIVER_FUNCTIONS(F)                                                                         \
  F(Init, "cuInit", (unsigned flags))                                                                     \
  F(DriverGetVersion, "cuDriverGetVersion", (int* version))                                               \
  F(DeviceGetCount, "cuDeviceGetCount", (int* count))                                                     \
  F(DeviceGet, "cuDeviceGet", (CuDevice * device, int ordinal))                                           \
  F(DeviceGetName, "cuDeviceGetName", (char* name, int length, CuDevice device))                          \
  F(DeviceGetAttribute, "cuDeviceGetAttribute", (int* value, int attribute, CuDevice device))             \
  F(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t * bytes, CuDevice device))                             \
  F(CtxCreate, "cuCtxCreate_v2", (CuContext * context, unsigned flags, CuDevice device))                  \
  F(CtxDestroy, "cuCtxDestroy_v2", (CuContext context))                                                   \
  F(CtxPushCurrent, "cuCtxPushCurrent_v2", (CuContext context))                                           \
  F(CtxPopCurrent, "cuCtxPopCurrent_v2", (CuContext * context))                                           \
  F(ModuleLoadData, "cuModuleLoadData", (CuModule * module, const void* image))                           \
  F(ModuleGetFunction, "cuModuleGetFunction", (CuFunction * function, CuModule module, const char* name)) \
  F(FuncLoad, "cuFuncLoad", (CuFunction function))                                                        \
  F(FuncGetAttribute, "cuFuncGetAttribute", (int* value, int attribute, CuFunction function))             \
  F(FuncSetAttribute, "cuFuncSetAttribute", (CuFunction function, int attribute, int value))              \
  F(MemAlloc, "cuMemAlloc_v2", (CuPointer * pointer, size_t bytes))                                       \
  F(MemFree, "cuMemFree_v2", (CuPointer pointer))                                                         \
  F(MemHostRegister, "cuMemHostRegister_v2", (void* bytes, size_t size, unsigned flags))                  \
  F(MemHostUnregister, "cuMemHostUnregister", (void* bytes))                                              \
  F(StreamCreate, "cuStreamCreate", (CuStream * stream, unsigned flags))                                  \
  F(StreamDestroy, "cuStreamDestroy_v2", (CuStream stream))                                               \
  F(StreamSynchronize, "cuStreamSynchronize", (CuStream stream))                                          \
  F(StreamQuery, "cuStreamQuery", (CuStream stream))                                                      \
  F(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                                              \
    (CuPointer to, const void* from, size_t bytes, CuStream stream))                                      \
  F(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void* to, CuPointer from, size_t bytes, CuStream stream))   \
  F(LaunchKernel, "cuLaunchKernel",                                                                       \
    (CuFunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,            \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, CuStream stream, void** params,           \
     void** extra))                                                                                       \
  F(StreamBeginCapture, "cuStreamBeginCapture_v2", (CuStream stream, int mode))                           \
  F(StreamEndCapture, "cuStreamEndCapture", (CuStream stream, CuGraph * graph))                           \
  F(GraphInstantiate, "cuGraphInstantiateWithFlags",                                                      \
    (CuGraphExec * exec, CuGraph graph, unsigned long long flags))                                        \
  F(GraphUpload, "cuGraphUpload", (CuGraphExec exec, CuStream stream))                                    \
  F(GraphLaunch, "cuGraphLaunch", (CuGraphExec exec, CuStream stream))                                    \
  F(GraphExecDestroy, "cuGraphExecDestroy", (CuGraphExec exec))                                           \
  F(GraphDestroy, "cuGraphDestroy", (CuGraph graph))                                                      \
  F(GetErrorName, "cuGetErrorName", (CuResult result, const char** name))

struct DriverApi {
#define TALLY_DRIVER_MEMBER(Name, symbol, parameters) CuResult(*Name) parameters = nullptr;
  TALLY_DRIVER_FUNCTIONS(TALLY_DRIVER_MEMBER)
#undef TALLY_DRIVER_MEMBER
};

// As the driver names it.
std::string ErrorName(const DriverApi& api, CuResult result);

#if defined(_WIN32)
inline constexpr char kDriverLibrary[] = "nvcuda.dll";
#else
inline constexpr char kDriverLibrary[] = "libcuda.so.1";
#endif

// Errors: engine_unavailable, when there is no such library or it lacks a function.
absl::StatusOr<DriverApi> LoadDriverApi(const char* library);

}  // namespace tally::cuda
