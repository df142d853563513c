// A driver of a GPU that answers as a test tells it, and that keeps account as a real one need not: of what
// each thread has as its context, of what was made in which context and is not gone, and of calls at which a
// real driver may crash.
//
//   FakeDriver& driver = StartFakeDriver();
//   driver.says["StreamCreate"] = kCuOutOfMemory;
//   const auto device = OpenDriverDevice(FakeApi(), image);
//   EXPECT_TRUE(driver.faults.empty());
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "engines/cuda/driver_api.h"

namespace tally::cuda {

struct FakeDriver {
  // The instructions of a test to it. Names of functions are those of DriverApi.
  int version = 13000, devices = 1, major = 9, minor = 0;
  std::map<std::string, CuResult> says;  // in place of success
  // The answer, from now on, to every call that needs a context, until that is destroyed: a kernel failed.
  CuResult sticky = kCuSuccess;
  std::function<void(const std::string& name)> during;  // inside of calls, while other threads go on

  // The calls that it received.
  std::map<std::string, int> calls;
  CuDevice device = -1;  // for the last context
  std::string last_kernel;
  unsigned last_grid_x = 0;
  std::map<std::string, int> dynamic_shared_bytes;  // by kernel
  std::vector<std::string> faults;                  // calls at which a real driver may crash

  // Streams, graphs and memory of living contexts, and pages that they have registered.
  std::vector<std::string> Living() const;

  // The rest is the driver's own.
  struct Object {
    std::string kind;
    CuContext context;
  };
  mutable std::mutex mutex;
  uintptr_t next_handle = 4096;
  std::map<uintptr_t, Object> objects;  // for living contexts, which are objects too
  std::map<CuContext, int> inside;      // calls in each context
  std::set<CuStream> recording;
};

// Bytes of shared memory that a block of the fake GPU can have, and those that its kernels have without
// asking.
inline constexpr int kFakeSharedBytes = 227 << 10, kFakeStaticBytes = 1024;

// A new one, in place of the last.
FakeDriver& StartFakeDriver();
DriverApi FakeApi();

// The contexts of the calling thread; the last is its current one.
std::vector<CuContext>& FakeContextsOfThread();

}  // namespace tally::cuda
