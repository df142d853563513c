#include "vm/engines/cpu/cpu_engine.h"

#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "ops/lowerings.h"
#include "vm/engines/cpu/compiler.h"
#include "vm/engines/cpu/operator_step.h"
#include "vm/engines/cpu/thread_pool.h"
#include "vm/engines/scalar_engine.h"
#include "vm/lower_operators.h"
#include "vm/validator.h"

namespace tally {
namespace {

// `module` with only operators that have kernels, or itself when there is nothing to lower or no room to.
std::shared_ptr<const ValidModule> Lowered(std::shared_ptr<const ValidModule> module) {
  bool lowers = false;
  for (const Function& function : module->module().functions) {
    for (const Instruction& instruction : function.body) {
      lowers |= FindLowering(InfoOf(instruction.op).name) != nullptr;
    }
  }
  if (!lowers) return module;
  auto lowered = LowerOperators(*module);
  if (!lowered.ok()) return module;
  auto valid = Validate(*std::move(lowered));
  if (!valid.ok()) return module;
  return std::make_shared<const ValidModule>(*std::move(valid));
}

class CpuPlan final : public Plan {
 public:
  CpuPlan(std::shared_ptr<const ValidModule> module, CpuFlags flags, int threads)
      : Plan(module), pool_(threads) {
    lowered_ = Lowered(std::move(module));
    cpu::Compile(*lowered_, {flags, threads}, programs_);
  }

  int64_t memory_bytes() const override { return programs_[0].arena_bytes; }

  std::vector<std::string> kernels() const override {
    std::vector<std::string> names;
    for (const auto& step : programs_[0].steps) names.push_back(step->name());
    return names;
  }

 protected:
  std::vector<Tensor> Run(std::span<const TensorView> inputs, const ExecuteOptions& options) const override {
    // Kernels fuse and reorder what an observer wants to see one by one.
    if (options.observer) return RunObserved(inputs, options);
    const cpu::Program& program = programs_[0];
    const Arena arena(*this);
    const cpu::Frame frame = {&program, arena.bytes()};
    for (size_t i = 0; i < inputs.size(); ++i) {
      const cpu::ValueRef& param = program.params[i];
      cpu::CopyElements(inputs[i].storage, inputs[i].bytes.data(), param.storage, frame.At(param.buffer),
                        inputs[i].shape.num_elements());
    }
    for (const auto& step : program.steps) {
      pool_.Run(step->parts(), [&](int part) { step->Run(frame, part); });
    }
    std::vector<Tensor> results;
    results.reserve(program.results.size());
    for (size_t r = 0; r < program.results.size(); ++r) {
      const cpu::ValueRef& value = program.results[r];
      const TensorType& type = module().types()[module().entry().results[r]];
      const uint8_t* bytes = frame.ConstAt(value.buffer);
      const auto size = static_cast<size_t>(type.shape.num_elements() * SizeBytes(value.storage));
      results.push_back(Tensor::Copy({value.storage, type.shape, {bytes, size}}, type.storage()));
    }
    return results;
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

  std::vector<Tensor> RunObserved(std::span<const TensorView> inputs, const ExecuteOptions& options) const {
    auto outcome = MakeReferencePlan(shared_module())->Execute(inputs, options);
    return std::move(outcome->results);  // the checks that it repeats have passed
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
