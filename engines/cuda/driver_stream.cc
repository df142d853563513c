#include "engines/cuda/driver_stream.h"

#include <utility>

#include "base/status_macros.h"
#include "engines/cuda/driver_memory.h"

namespace tally::cuda {
namespace {

class DriverGraph final : public Graph {
 public:
  DriverGraph(std::shared_ptr<DriverContext> context, CuGraphExec exec)
      : context_(std::move(context)), exec_(exec) {}
  ~DriverGraph() override {
    context_->Call("cuGraphExecDestroy", [this](const DriverApi& api) { return api.GraphExecDestroy(exec_); })
        .IgnoreError();
  }
  CuGraphExec exec() const { return exec_; }

 private:
  std::shared_ptr<DriverContext> context_;
  CuGraphExec exec_;
};

class DriverStream final : public Stream {
 public:
  DriverStream(std::shared_ptr<DriverContext> context, CuStream stream)
      : context_(std::move(context)), stream_(stream) {}
  // A run that failed may have left work, on memory that is freed next, or a graph that is not finished.
  ~DriverStream() override {
    Call("the end of a stream", [this](const DriverApi& api) {
      CuGraph recorded = nullptr;
      if (recording_) api.StreamEndCapture(stream_, &recorded);
      if (recorded != nullptr) api.GraphDestroy(recorded);
      const CuResult waited = api.StreamSynchronize(stream_);
      api.StreamDestroy(stream_);
      return waited;
    }).IgnoreError();
  }

  absl::Status CopyIn(uint8_t* to, std::span<const uint8_t> from) override {
    return Call("a copy to the device", [&](const DriverApi& api) {
      return api.MemcpyHtoDAsync(ToPointer(to), from.data(), from.size(), stream_);
    });
  }
  absl::Status CopyOut(std::span<uint8_t> to, const uint8_t* from) override {
    return Call("a copy from the device", [&](const DriverApi& api) {
      return api.MemcpyDtoHAsync(to.data(), ToPointer(from), to.size(), stream_);
    });
  }
  absl::Status Launch(KernelId kernel, const LaunchShape& shape, const Memory& memory,
                      std::span<const uint8_t> params) override {
    void* arguments[] = {const_cast<Memory*>(&memory), const_cast<uint8_t*>(params.data())};
    return Call(NameOf(kernel), [&](const DriverApi& api) {
      return api.LaunchKernel(context_->function(kernel), shape.grid.x, shape.grid.y, shape.grid.z,
                              shape.block, 1, 1, shape.shared_bytes, stream_, arguments, nullptr);
    });
  }
  absl::Status Wait() override {
    return Call("the end of a run", [this](const DriverApi& api) { return api.StreamSynchronize(stream_); });
  }

  absl::Status BeginGraph() override {
    const absl::Status begun = Call("cuStreamBeginCapture", [this](const DriverApi& api) {
      return api.StreamBeginCapture(stream_, kCuCaptureRelaxed);
    });
    recording_ = begun.ok();
    return begun;
  }
  // The graph is on the device from now on, so that no run finds too late that there is no memory for it.
  absl::StatusOr<std::unique_ptr<Graph>> EndGraph() override {
    CuGraph recorded = nullptr;
    CuGraphExec exec = nullptr;
    recording_ = false;
    RETURN_IF_ERROR(Call("cuStreamEndCapture",
                         [&](const DriverApi& api) { return api.StreamEndCapture(stream_, &recorded); }));
    RETURN_IF_ERROR(Call("cuGraphInstantiate", [&](const DriverApi& api) {
      const CuResult instantiated = api.GraphInstantiate(&exec, recorded, 0);
      api.GraphDestroy(recorded);
      return instantiated;
    }));
    auto graph = std::make_unique<DriverGraph>(context_, exec);
    RETURN_IF_ERROR(
        Call("cuGraphUpload", [&](const DriverApi& api) { return api.GraphUpload(exec, stream_); }));
    return graph;
  }
  absl::Status Replay(const Graph& graph) override {
    return Call("cuGraphLaunch", [&](const DriverApi& api) {
      return api.GraphLaunch(static_cast<const DriverGraph&>(graph).exec(), stream_);
    });
  }

  void* handle() const override { return stream_; }

 private:
  template <typename F>
  absl::Status Call(absl::string_view what, F f) {
    return context_->Call(what, f);
  }

  std::shared_ptr<DriverContext> context_;
  CuStream stream_;
  bool recording_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Stream>> NewDriverStream(std::shared_ptr<DriverContext> context) {
  CuStream stream = nullptr;
  RETURN_IF_ERROR(context->Call("cuStreamCreate", [&](const DriverApi& api) {
    return api.StreamCreate(&stream, kCuStreamNonBlocking);
  }));
  return std::make_unique<DriverStream>(std::move(context), stream);
}

}  // namespace tally::cuda
