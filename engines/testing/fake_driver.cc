#include "engines/testing/fake_driver.h"

#include <cstring>
#include <memory>
#include <utility>

namespace tally::cuda {
namespace {

std::unique_ptr<FakeDriver> driver;

CuResult Answer(const std::string& name) {
  const auto told = driver->says.find(name);
  return told == driver->says.end() ? kCuSuccess : told->second;
}

// A call that needs no context.
CuResult Ask(const std::string& name) {
  const std::lock_guard lock(driver->mutex);
  ++driver->calls[name];
  return Answer(name);
}

void* ToHandle(uintptr_t number) { return reinterpret_cast<void*>(number); }
uintptr_t ToNumber(const void* handle) { return reinterpret_cast<uintptr_t>(handle); }

// A call in the thread's current context, for as long as this lives.
class Call {
 public:
  explicit Call(std::string name) : name_(std::move(name)) {
    {
      const std::lock_guard lock(driver->mutex);
      ++driver->calls[name_];
      const auto& contexts = FakeContextsOfThread();
      context_ = contexts.empty() ? nullptr : contexts.back();
      if (!IsLiving(context_, "context")) Fault("has no living context");
      ++driver->inside[context_];
    }
    if (driver->during) driver->during(name_);
    const std::lock_guard lock(driver->mutex);
    answer_ = driver->sticky != kCuSuccess ? driver->sticky : Answer(name_);
  }
  ~Call() {
    const std::lock_guard lock(driver->mutex);
    --driver->inside[context_];
  }

  CuResult answer() const { return answer_; }

  // `object` is one of `kind` of this context.
  Call& With(const void* object, const char* kind) {
    const std::lock_guard lock(driver->mutex);
    if (object != nullptr && !IsLiving(object, kind))
      Fault(std::string("was given a ") + kind + " that is gone");
    return *this;
  }
  // Makes an object of `kind`.
  template <typename T>
  CuResult Make(T* to, const char* kind) {
    const std::lock_guard lock(driver->mutex);
    if (answer_ != kCuSuccess) return answer_;
    driver->objects[driver->next_handle] = {kind, context_};
    *to = (T)(driver->next_handle);
    driver->next_handle += 4096;
    return answer_;
  }
  CuResult Note(const void* object, const char* kind) {
    const std::lock_guard lock(driver->mutex);
    if (answer_ == kCuSuccess) driver->objects[ToNumber(object)] = {kind, context_};
    return answer_;
  }
  // Calls that a stream does not carry out while it records.
  Call& NotRecording(CuStream stream) {
    const std::lock_guard lock(driver->mutex);
    if (driver->recording.count(stream) > 0) Fault("in the middle of a graph");
    return *this;
  }
  CuResult Record(CuStream stream, bool begins) {
    const std::lock_guard lock(driver->mutex);
    if (begins && answer_ == kCuSuccess) driver->recording.insert(stream);
    if (!begins) driver->recording.erase(stream);
    return answer_;
  }
  CuResult Remove(const void* object, const char* kind) {
    With(object, kind);
    const std::lock_guard lock(driver->mutex);
    if (answer_ == kCuSuccess) driver->objects.erase(ToNumber(object));
    return answer_;
  }

 private:
  bool IsLiving(const void* object, const std::string& kind) const {
    const auto found = driver->objects.find(ToNumber(object));
    return found != driver->objects.end() && found->second.kind == kind &&
           (kind == "context" || found->second.context == context_);
  }
  void Fault(const std::string& what) const { driver->faults.push_back(name_ + " " + what); }

  std::string name_;
  CuContext context_ = nullptr;
  CuResult answer_ = kCuSuccess;
};

CuResult CreateContext(CuContext* context, unsigned, CuDevice device) {
  const CuResult answer = Ask("CtxCreate");
  if (answer != kCuSuccess) return answer;
  const std::lock_guard lock(driver->mutex);
  *context = ToHandle(driver->next_handle);
  driver->objects[driver->next_handle] = {"context", *context};
  driver->next_handle += 4096;
  driver->device = device;
  FakeContextsOfThread().push_back(*context);
  return kCuSuccess;
}

// Whatever it says, the context is gone.
CuResult DestroyContext(CuContext context) {
  const CuResult answer = Ask("CtxDestroy");
  const std::lock_guard lock(driver->mutex);
  if (driver->inside[context] > 0)
    driver->faults.push_back("CtxDestroy while other threads are in the context");
  if (driver->objects.count(ToNumber(context)) == 0) driver->faults.push_back("CtxDestroy of no context");
  std::erase_if(driver->objects, [&](const auto& object) { return object.second.context == context; });
  const CuResult said = driver->sticky != kCuSuccess ? driver->sticky : answer;
  driver->sticky = kCuSuccess;
  return said;
}

void AddContexts(DriverApi& api) {
  api.Init = [](unsigned) { return Ask("Init"); };
  api.DriverGetVersion = [](int* version) {
    *version = driver->version;
    return Ask("DriverGetVersion");
  };
  api.DeviceGetCount = [](int* count) {
    *count = driver->devices;
    return Ask("DeviceGetCount");
  };
  api.DeviceGet = [](CuDevice* device, int ordinal) {
    *device = ordinal;
    return Ask("DeviceGet");
  };
  api.DeviceGetName = [](char* name, int length, CuDevice) {
    std::strncpy(name, "a GPU of this test", static_cast<size_t>(length));
    return Ask("DeviceGetName");
  };
  api.DeviceGetAttribute = [](int* value, int attribute, CuDevice) {
    *value = attribute == kCuComputeCapabilityMajor   ? driver->major
             : attribute == kCuComputeCapabilityMinor ? driver->minor
                                                      : kFakeSharedBytes;
    return Ask("DeviceGetAttribute");
  };
  api.DeviceTotalMem = [](size_t* bytes, CuDevice) {
    *bytes = 1 << 30;
    return Ask("DeviceTotalMem");
  };
  api.CtxCreate = CreateContext;
  api.CtxDestroy = DestroyContext;
  api.CtxPushCurrent = [](CuContext context) {
    const CuResult answer = Ask("CtxPushCurrent");
    if (answer == kCuSuccess) FakeContextsOfThread().push_back(context);
    return answer;
  };
  api.CtxPopCurrent = [](CuContext* context) {
    *context = FakeContextsOfThread().back();
    FakeContextsOfThread().pop_back();
    return Ask("CtxPopCurrent");
  };
  api.GetErrorName = [](CuResult, const char** name) {
    *name = "CUDA_ERROR_OF_THIS_TEST";
    return kCuSuccess;
  };
}

void AddFunctionsAndMemory(DriverApi& api) {
  api.ModuleLoadData = [](CuModule* module, const void*) {
    return Call("ModuleLoadData").Make(module, "module");
  };
  api.ModuleGetFunction = [](CuFunction* function, CuModule module, const char* name) {
    *function = const_cast<char*>(name);
    return Call("ModuleGetFunction").With(module, "module").answer();
  };
  api.FuncLoad = [](CuFunction) { return Call("FuncLoad").answer(); };
  api.FuncGetAttribute = [](int* value, int, CuFunction) {
    *value = kFakeStaticBytes;
    return Call("FuncGetAttribute").answer();
  };
  api.FuncSetAttribute = [](CuFunction function, int, int value) {
    const Call call("FuncSetAttribute");
    const std::lock_guard lock(driver->mutex);
    driver->dynamic_shared_bytes[static_cast<const char*>(function)] = value;
    return call.answer();
  };
  api.MemAlloc = [](CuPointer* pointer, size_t) { return Call("MemAlloc").Make(pointer, "memory"); };
  api.MemFree = [](CuPointer pointer) { return Call("MemFree").Remove(ToHandle(pointer), "memory"); };
  api.MemHostRegister = [](void* bytes, size_t, unsigned) {
    return Call("MemHostRegister").Note(bytes, "registration");
  };
  api.MemHostUnregister = [](void* bytes) { return Call("MemHostUnregister").Remove(bytes, "registration"); };
}

void AddStreams(DriverApi& api) {
  api.StreamCreate = [](CuStream* stream, unsigned) { return Call("StreamCreate").Make(stream, "stream"); };
  api.StreamDestroy = [](CuStream stream) {
    return Call("StreamDestroy").NotRecording(stream).Remove(stream, "stream");
  };
  api.StreamSynchronize = [](CuStream stream) {
    return Call("StreamSynchronize").With(stream, "stream").NotRecording(stream).answer();
  };
  api.StreamQuery = [](CuStream stream) { return Call("StreamQuery").With(stream, "stream").answer(); };
  api.MemcpyHtoDAsync = [](CuPointer, const void*, size_t, CuStream stream) {
    return Call("MemcpyHtoDAsync").With(stream, "stream").answer();
  };
  api.MemcpyDtoHAsync = [](void*, CuPointer, size_t, CuStream stream) {
    return Call("MemcpyDtoHAsync").With(stream, "stream").answer();
  };
  api.LaunchKernel = [](CuFunction function, unsigned grid_x, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, CuStream stream, void**, void**) {
    Call call("LaunchKernel");
    call.With(stream, "stream");
    const std::lock_guard lock(driver->mutex);
    driver->last_kernel = static_cast<const char*>(function);
    driver->last_grid_x = grid_x;
    return call.answer();
  };
  api.StreamBeginCapture = [](CuStream stream, int) {
    return Call("StreamBeginCapture").With(stream, "stream").Record(stream, true);
  };
  api.StreamEndCapture = [](CuStream stream, CuGraph* graph) {
    Call call("StreamEndCapture");
    call.With(stream, "stream").Record(stream, false);
    return call.Make(graph, "graph");
  };
  api.GraphInstantiate = [](CuGraphExec* exec, CuGraph graph, unsigned long long) {
    return Call("GraphInstantiate").With(graph, "graph").Make(exec, "executable graph");
  };
  api.GraphUpload = [](CuGraphExec exec, CuStream stream) {
    return Call("GraphUpload").With(exec, "executable graph").With(stream, "stream").answer();
  };
  api.GraphLaunch = [](CuGraphExec exec, CuStream stream) {
    return Call("GraphLaunch").With(exec, "executable graph").With(stream, "stream").answer();
  };
  api.GraphExecDestroy = [](CuGraphExec exec) {
    return Call("GraphExecDestroy").Remove(exec, "executable graph");
  };
  api.GraphDestroy = [](CuGraph graph) { return Call("GraphDestroy").Remove(graph, "graph"); };
}

}  // namespace

std::vector<std::string> FakeDriver::Living() const {
  const std::lock_guard lock(mutex);
  std::vector<std::string> kinds;
  for (const auto& [handle, object] : objects) {
    if (object.kind != "context" && object.kind != "module") kinds.push_back(object.kind);
  }
  return kinds;
}

std::vector<CuContext>& FakeContextsOfThread() {
  thread_local std::vector<CuContext> contexts;
  return contexts;
}

FakeDriver& StartFakeDriver() {
  driver = std::make_unique<FakeDriver>();
  FakeContextsOfThread().clear();
  return *driver;
}

DriverApi FakeApi() {
  DriverApi api;
  AddContexts(api);
  AddFunctionsAndMemory(api);
  AddStreams(api);
  return api;
}

}  // namespace tally::cuda
