#include "vm/engines/cpu/cpu_engine.h"

#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "vm/engines/cpu/compiler.h"
#include "vm/engines/cpu/operator_step.h"
#include "vm/engines/cpu/thread_pool.h"
#include "vm/engines/scalar_engine.h"
#include "vm/lower_operators.h"

namespace tally {
namespace {

class CpuPlan final : public Plan {
 public:
  CpuPlan(std::shared_ptr<const ValidModule> module, CpuFlags flags, int threads)
      : Plan(module), pool_(threads) {
    lowered_ = LoweredForKernels(std::move(module));
    cpu::Compile(*lowered_, {flags, threads}, programs_);
    cpu::BindExternals(programs_[0]);
  }

  int64_t memory_bytes() const override { return programs_[0].arena_bytes; }

  std::vector<std::string> kernels() const override {
    std::vector<std::string> names;
    for (const auto& step : programs_[0].steps) names.push_back(step->name());
    return names;
  }

 protected:
  absl::Status Run(std::span<const TensorView> inputs, std::span<const std::span<uint8_t>> results,
                   const ExecuteOptions& options) const override {
    // Kernels fuse and reorder what an observer wants to see one by one; what it repeats has passed the checks.
    if (options.observer) {
      return MakeReferencePlan(shared_module())->ExecuteInto(inputs, results, options);
    }
    const cpu::Program& program = programs_[0];
    const Arena arena(*this);
    absl::InlinedVector<uint8_t*, 16> external(inputs.size() + results.size());
    const cpu::Frame frame = {&program, arena.bytes(), external.data()};
    for (size_t i = 0; i < inputs.size(); ++i) {
      const cpu::ValueRef& param = program.params[i];
      auto* const bytes = const_cast<uint8_t*>(inputs[i].bytes.data());
      if (inputs[i].storage == param.storage && IsAligned(bytes) && IsExternal(param, i)) {
        external[i] = bytes;
      } else {
        cpu::CopyElements(inputs[i].storage, bytes, param.storage, frame.At(param.buffer),
                          inputs[i].shape.num_elements());
      }
    }
    const auto storage_of = [&](size_t r) { return module().types()[module().entry().results[r]].storage(); };
    for (size_t r = 0; r < results.size(); ++r) {
      const cpu::ValueRef& value = program.results[r];
      const size_t index = inputs.size() + r;
      if (value.storage == storage_of(r) && IsAligned(results[r].data()) && IsExternal(value, index)) {
        external[index] = results[r].data();
      }
    }
    for (const auto& step : program.steps) {
      pool_.Run(step->parts(), [&](int part) { step->Run(frame, part); });
    }
    for (size_t r = 0; r < results.size(); ++r) {
      if (external[inputs.size() + r] != nullptr) continue;
      const cpu::ValueRef& value = program.results[r];
      cpu::CopyElements(value.storage, frame.ConstAt(value.buffer), storage_of(r), results[r].data(),
                        value.type.shape.num_elements());
    }
    return absl::OkStatus();
  }

 private:
  // The working memory of one run. Plans keep what runs gave back.
  class Arena {
   public:
    explicit Arena(const CpuPlan& plan) : plan_(plan) {
      const std::lock_guard lock(plan_.mutex_);
      if (plan_.free_.empty()) {
        bytes_.reset(
            static_cast<uint8_t*>(::operator new(std::max<int64_t>(1, plan_.memory_bytes()), kAlignment)));
      } else {
        bytes_ = std::move(plan_.free_.back());
        plan_.free_.pop_back();
      }
    }
    ~Arena() {
      const std::lock_guard lock(plan_.mutex_);
      plan_.free_.push_back(std::move(bytes_));
    }
    uint8_t* bytes() const { return bytes_.get(); }

   private:
    friend class CpuPlan;
    static constexpr std::align_val_t kAlignment{kBufferAlignment};
    struct Free {
      void operator()(uint8_t* bytes) const { ::operator delete(bytes, kAlignment); }
    };
    using Bytes = std::unique_ptr<uint8_t, Free>;

    const CpuPlan& plan_;
    Bytes bytes_;
  };

  static bool IsAligned(const uint8_t* bytes) {
    return reinterpret_cast<uintptr_t>(bytes) % static_cast<uintptr_t>(kBufferAlignment) == 0;
  }
  bool IsExternal(const cpu::ValueRef& value, size_t index) const {
    const cpu::Program& program = programs_[0];
    return program.buffers[program.Root(value.buffer)].external == static_cast<int32_t>(index);
  }

  std::shared_ptr<const ValidModule> lowered_;
  std::vector<cpu::Program> programs_;
  mutable ThreadPool pool_;
  mutable std::mutex mutex_;
  mutable std::vector<Arena::Bytes> free_;
};

}  // namespace

std::unique_ptr<const Plan> MakeCpuPlan(std::shared_ptr<const ValidModule> module, CpuFlags flags,
                                        int threads) {
  return std::make_unique<CpuPlan>(std::move(module), flags, threads);
}

}  // namespace tally
