// Plans.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "api/c/addresses.h"
#include "api/c/call.h"
#include "api/c/objects.h"
#include "base/wide.h"
#include "engines/cpu_flags_of.h"
#include "engines/engine.h"

namespace tally::api {
namespace {

std::string_view TextOr(const char* text, std::string_view otherwise) {
  return text == nullptr ? otherwise : std::string_view(text);
}

absl::StatusOr<std::shared_ptr<const LoadedPlan>> MakeLoadedPlan(std::shared_ptr<const LoadedModule> module,
                                                                 const tally_plan_options& options) {
  RETURN_IF_ERROR(InRange(options.threads, kMostThreads, "threads"));
  RETURN_IF_ERROR(NotNegative(options.memory_limit, "memory_limit"));
  if (options.reserved != 0) return MakeError(label::api_option, "reserved is not 0");
  RETURN_IF_ERROR(CheckRunAddressable(*module->valid, std::max(1, options.threads)));
  const std::string engine(TextOr(options.engine, "cpu"));
  const PlanOptions how = {.threads = std::max(1, options.threads), .level = TextOr(options.arch, "")};
  std::string level;
  if (engine == "cpu") {
    ASSIGN_OR_RETURN(const CpuFlags flags, CpuFlagsOf(how.level));
    level = CpuFlagsToString(flags);
  }
  // A plan has the threads of its process: one that was forked makes its own.
  const std::string key = absl::StrCat(engine, " ", level, " ", how.threads, " ", getpid());
  const auto make = [&] { return MakePlan(engine, module->valid, how); };
  ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, module->PlanFor(key, make));
  const Int128 needed = Int128{plan->kept_bytes()} + plan->memory_bytes();
  if (needed > LimitOf(options.memory_limit)) {
    return MakeError(label::api_plan_memory,
                     absl::StrCat("the plan keeps ", plan->kept_bytes(), " bytes and a run takes ",
                                  plan->memory_bytes(), ", more than ", options.memory_limit));
  }
  return std::make_shared<const LoadedPlan>(std::move(module), engine, std::move(plan));
}

}  // namespace

void RunMemory::Clear() {
  given_inputs.clear();
  given_results.clear();
  inputs.clear();
  results.clear();
}

LoadedPlan::Lease::Lease(const LoadedPlan& plan) : plan_(plan) {
  {
    const std::lock_guard lock(plan_.mutex_);
    if (!plan_.free_.empty()) {
      memory_ = std::move(plan_.free_.back());
      plan_.free_.pop_back();
    }
  }
  if (memory_ == nullptr) memory_ = std::make_unique<RunMemory>();
}

LoadedPlan::Lease::~Lease() {
  memory_->Clear();
  const std::lock_guard lock(plan_.mutex_);
  plan_.free_.push_back(std::move(memory_));
}

}  // namespace tally::api

using namespace tally;       // NOLINT: the functions are outside any namespace
using namespace tally::api;  // NOLINT

tally_status tally_plan_make(tally_module module, const tally_plan_options* options, tally_plan* plan,
                             tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    RETURN_IF_ERROR(NewHandle(plan, "plan"));
    ASSIGN_OR_RETURN(const tally_plan_options how, ReadStruct(options));
    ASSIGN_OR_RETURN(auto loaded, ObjectOf<LoadedModule>(module));
    ASSIGN_OR_RETURN(auto made, MakeLoadedPlan(std::move(loaded), how));
    Give(std::move(made), plan);
    return absl::OkStatus();
  });
}

tally_status tally_plan_close(tally_plan plan) { return Close<LoadedPlan>(plan); }

tally_status tally_plan_get_info(tally_plan plan, tally_plan_info* info, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto loaded, ObjectOf<LoadedPlan>(plan));
    tally_plan_info about = {.kept_bytes = loaded->plan().kept_bytes(),
                             .memory_bytes = loaded->plan().memory_bytes(),
                             .steps = loaded->plan().steps().size(),
                             .is_lowered = loaded->plan().lowering().ok() ? 1 : 0};
    CopyText(loaded->engine(), about.engine);
    return WriteStruct(about, info);
  });
}
