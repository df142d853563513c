// The objects behind the handles of tally.h.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/c/call.h"
#include "api/c/handles.h"
#include "api/c/tensors.h"
#include "base/aligned_vector.h"
#include "proof/receipt/claim_run.h"
#include "proof/receipt/ed25519.h"
#include "proof/receipt/receipt.h"
#include "vm/cancellation.h"
#include "vm/plan.h"

namespace tally::api {

struct LoadedModule {
  static constexpr std::string_view kKind = "module";
  static constexpr bool kSurvivesFork = true;

  explicit LoadedModule(std::shared_ptr<const ValidModule> m) : valid(std::move(m)) {}

  // Computed when somebody asks: it reads all constants.
  const ClaimedModule& claimed() const {
    std::call_once(once_, [this] { claimed_.emplace(*valid); });
    return *claimed_;
  }

  // Returns make(), or its earlier result for the same `how` while somebody still holds that: plans are
  // immutable, and what they keep is as large as the module.
  template <typename Make>
  absl::StatusOr<std::shared_ptr<const Plan>> PlanFor(const std::string& how, const Make& make) const {
    {
      const std::lock_guard lock(mutex_);
      if (auto plan = plans_[how].lock()) return plan;
    }
    ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, make());
    const std::lock_guard lock(mutex_);
    plans_[how] = plan;
    return plan;
  }

  const std::shared_ptr<const ValidModule> valid;

 private:
  mutable std::once_flag once_;
  mutable std::optional<ClaimedModule> claimed_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::weak_ptr<const Plan>> plans_;
};

// Memory of a run besides the caller's and the plan's, kept from run to run.
struct RunMemory {
  std::vector<CallerTensor> given_inputs, given_results;
  // As engines take them: in the caller's memory, or in `bytes`.
  std::vector<TensorView> inputs;
  std::vector<std::span<uint8_t>> results;
  AlignedVector<uint8_t> bytes;

  void Clear();
};

class LoadedPlan {
 public:
  static constexpr std::string_view kKind = "plan";
  static constexpr bool kSurvivesFork = false;

  LoadedPlan(std::shared_ptr<const LoadedModule> module, std::string engine, std::shared_ptr<const Plan> plan)
      : module_(std::move(module)), engine_(std::move(engine)), plan_(std::move(plan)) {}

  const LoadedModule& module() const { return *module_; }
  const std::string& engine() const { return engine_; }
  const Plan& plan() const { return *plan_; }

  // The memory of one run, until this is destroyed.
  class Lease {
   public:
    explicit Lease(const LoadedPlan& plan);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    RunMemory& operator*() const { return *memory_; }

   private:
    const LoadedPlan& plan_;
    std::unique_ptr<RunMemory> memory_;
  };

 private:
  std::shared_ptr<const LoadedModule> module_;
  std::string engine_;
  std::shared_ptr<const Plan> plan_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<RunMemory>> free_;
};

struct CancellationObject {
  static constexpr std::string_view kKind = "cancellation";
  static constexpr bool kSurvivesFork = true;
  mutable Cancellation cancellation;
};

struct SigningKeyObject {
  static constexpr std::string_view kKind = "key";
  static constexpr bool kSurvivesFork = true;
  SigningKey key;
};

struct PublicKeyObject {
  static constexpr std::string_view kKind = "public key";
  static constexpr bool kSurvivesFork = true;
  PublicKey key;
};

struct ReceiptObject {
  static constexpr std::string_view kKind = "receipt";
  static constexpr bool kSurvivesFork = true;
  Receipt receipt;
};

// The object that a handle of C names. Errors: api_handle, api_forked.
template <typename Object, typename Handle>
absl::StatusOr<std::shared_ptr<const Object>> ObjectOf(Handle handle) {
  return Handles::Get().Find<Object>(handle.handle);
}

// A new object for C, whose place NewHandle has seen.
template <typename Object, typename Handle>
void Give(std::shared_ptr<const Object> object, Handle* handle) {
  handle->handle = Handles::Get().Add(std::move(object));
}

// The place for a handle, null from now on. Error api_null.
template <typename Handle>
absl::Status NewHandle(Handle* handle, std::string_view name) {
  RETURN_IF_ERROR(NotNull(handle, name));
  handle->handle = 0;
  return absl::OkStatus();
}

template <typename Object, typename Handle>
tally_status Close(Handle handle) {
  return Call(nullptr, [&] { return Handles::Get().Remove<Object>(handle.handle); });
}

}  // namespace tally::api
