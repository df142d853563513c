#include "api/c/run.h"

#include <algorithm>

#include "base/int_math.h"
#include "vm/limits.h"

namespace tally::api {
namespace {

static_assert(kMaxParams == kMaxResults);

constexpr int64_t kLine = 64;  // engines work where memory begins at a multiple of it

std::span<const TensorType> ParamsOf(const ValidModule& module) { return module.functions()[0].params; }
std::span<const TensorType> ResultsOf(const ValidModule& module) { return module.functions()[0].results; }

absl::Status Read(std::span<const TensorType> types, std::span<const tally_tensor> given,
                  std::string_view kind, std::vector<CallerTensor>& tensors) {
  for (size_t i = 0; i < given.size(); ++i) {
    const Shape* const shape = i < types.size() ? &types[i].shape : nullptr;
    ASSIGN_OR_RETURN(const CallerTensor tensor, CallerTensor::Read(given[i], shape, {kind, i}));
    tensors.push_back(tensor);
  }
  return absl::OkStatus();
}

absl::Status CheckResult(const CallerTensor& given, const TensorType& type, size_t r) {
  std::string why;
  if (given.shape() != type.shape) {
    why = absl::StrCat("its shape is ", given.shape().ToString(), ", the module's ", type.shape.ToString());
  } else if (given.storage() < type.storage()) {
    why = absl::StrCat("its elements are ", ToAbsl(StorageName(given.storage())), ", the module's ",
                       ToAbsl(StorageName(type.storage())));
  } else if (!given.is_injective()) {
    why = "its elements share memory";
  } else {
    return absl::OkStatus();
  }
  return MakeError(label::api_tensor, absl::StrCat("result ", r, ": ", why));
}

// Whether an engine can write result r in the caller's memory.
bool IsDirect(const CallerTensor& given, const TensorType& type) {
  return given.is_dense() && given.storage() == type.storage();
}

// Says where engines find the tensors, results of `types` among them, and copies inputs there.
void Place(std::span<const TensorType> types, RunMemory& memory) {
  size_t bytes = 0;
  const auto take = [&](int64_t size) {
    const size_t at = bytes;
    bytes += static_cast<size_t>(RoundUp(size, kLine));
    return at;
  };
  const auto copied_input = [](const CallerTensor& given) { return !given.is_dense(); };
  const auto copied_result = [&](size_t r) {
    return r < types.size() && !IsDirect(memory.given_results[r], types[r]);
  };
  for (const CallerTensor& given : memory.given_inputs) {
    if (copied_input(given)) take(given.size_bytes());
  }
  for (size_t r = 0; r < memory.given_results.size(); ++r) {
    if (copied_result(r)) take(types[r].size_bytes());
  }
  if (memory.bytes.size() < bytes) memory.bytes.resize(bytes);
  bytes = 0;
  for (const CallerTensor& given : memory.given_inputs) {
    if (!copied_input(given)) {
      memory.inputs.push_back(given.view());
      continue;
    }
    uint8_t* const dense = memory.bytes.data() + take(given.size_bytes());
    given.CopyTo(dense);
    memory.inputs.push_back(
        {given.storage(), given.shape(), {dense, static_cast<size_t>(given.size_bytes())}});
  }
  for (size_t r = 0; r < memory.given_results.size(); ++r) {
    if (!copied_result(r)) {
      memory.results.push_back(memory.given_results[r].memory());
      continue;
    }
    const auto size = static_cast<size_t>(types[r].size_bytes());
    memory.results.push_back({memory.bytes.data() + take(types[r].size_bytes()), size});
  }
}

// Shows the caller what a run shows.
void Show(const tally_run_options& options, std::span<const CallSite> path, ValueId id, Storage storage,
          const Shape& shape, std::span<const uint8_t> bytes, const Digest* root) {
  static_assert(sizeof(CallSite) == sizeof(tally_call_site));
  static_assert(offsetof(CallSite, invocation) == offsetof(tally_call_site, invocation));
  const tally_observed observed = {.size = sizeof observed,
                                   .path = reinterpret_cast<const tally_call_site*>(path.data()),
                                   .path_length = path.size(),
                                   .value = id,
                                   .storage = static_cast<int32_t>(storage),
                                   .rank = shape.rank(),
                                   .shape = shape.dims().data(),
                                   .data = root == nullptr ? bytes.data() : nullptr,
                                   .bytes = bytes.size(),
                                   .root = root == nullptr ? nullptr : root->data()};
  options.observer(options.user, &observed);
}

absl::Status Observe(const tally_run_options& read, ExecuteOptions& options) {
  if (read.observer == nullptr && read.show == 0) return absl::OkStatus();
  if (read.observer == nullptr) return MakeError(label::api_option, "show: there is no observer");
  if (read.show == TALLY_SHOW_VALUES) {
    options.observer = [read](std::span<const CallSite> path, ValueId id, const TensorView& value) {
      Show(read, path, id, value.storage, value.shape, value.bytes, nullptr);
    };
  } else if (read.show == TALLY_SHOW_ROOTS) {
    options.root_observer = [read](std::span<const CallSite> path, ValueId id, Storage storage,
                                   const Shape& shape,
                                   const Digest& root) { Show(read, path, id, storage, shape, {}, &root); };
  } else {
    return MakeError(label::api_option,
                     absl::StrCat("show: ", read.show, " is neither 1 (values) nor 2 (roots)"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RunRequest> RunRequest::Read(const tally_run_options* given) {
  ASSIGN_OR_RETURN(const tally_run_options read, ReadStruct(given));
  RETURN_IF_ERROR(NotNegative(read.gas_limit, "gas_limit"));
  RETURN_IF_ERROR(NotNegative(read.memory_limit, "memory_limit"));
  RETURN_IF_ERROR(InRange(read.check, 1, "check"));
  RunRequest request;
  request.options_.gas_limit = LimitOf(read.gas_limit);
  request.options_.memory_limit_bytes = LimitOf(read.memory_limit);
  request.options_.check = read.check != 0;
  RETURN_IF_ERROR(Observe(read, request.options_));
  if (read.cancellation.handle != 0) {
    ASSIGN_OR_RETURN(request.cancellation_, ObjectOf<CancellationObject>(read.cancellation));
    request.options_.cancellation = &request.cancellation_->cancellation;
  }
  return request;
}

absl::StatusOr<std::span<const tally_tensor>> TensorsOf(const tally_tensor* tensors, size_t count) {
  if (count > 0) RETURN_IF_ERROR(NotNull(tensors, "the array of tensors"));
  if (count > kMaxParams) {
    return MakeError(label::api_option, absl::StrCat(count, " tensors: a module has at most ", kMaxParams));
  }
  return std::span<const tally_tensor>(tensors, count);
}

absl::Status ReadInputs(std::span<const TensorType> types, std::span<const tally_tensor> given,
                        std::string_view kind, RunMemory& memory) {
  RETURN_IF_ERROR(Read(types, given, kind, memory.given_inputs));
  Place({}, memory);
  return absl::OkStatus();
}

absl::Status ReadTensors(const ValidModule& module, std::span<const tally_tensor> inputs,
                         std::span<const tally_tensor> results, RunMemory& memory) {
  const std::span<const TensorType> types = ResultsOf(module);
  RETURN_IF_ERROR(Read(ParamsOf(module), inputs, "input", memory.given_inputs));
  RETURN_IF_ERROR(Read(types, results, "result", memory.given_results));
  for (size_t r = 0; r < std::min(types.size(), results.size()); ++r)
    RETURN_IF_ERROR(CheckResult(memory.given_results[r], types[r], r));
  RETURN_IF_ERROR(CheckApart(memory.given_inputs, memory.given_results));
  Place(types, memory);
  return absl::OkStatus();
}

void CopyResults(const ValidModule& module, RunMemory& memory) {
  const std::span<const TensorType> types = ResultsOf(module);
  for (size_t r = 0; r < types.size(); ++r) {
    const CallerTensor& given = memory.given_results[r];
    if (!IsDirect(given, types[r])) given.CopyFrom(types[r].storage(), memory.results[r].data());
  }
}

}  // namespace tally::api

using namespace tally;       // NOLINT: the functions are outside any namespace
using namespace tally::api;  // NOLINT

tally_status tally_plan_run(tally_plan plan, const tally_tensor* inputs, size_t num_inputs,
                            const tally_tensor* results, size_t num_results, const tally_run_options* options,
                            tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto loaded, ObjectOf<LoadedPlan>(plan));
    ASSIGN_OR_RETURN(const auto given_inputs, TensorsOf(inputs, num_inputs));
    ASSIGN_OR_RETURN(const auto given_results, TensorsOf(results, num_results));
    ASSIGN_OR_RETURN(const RunRequest request, RunRequest::Read(options));
    const ValidModule& module = *loaded->module().valid;
    const LoadedPlan::Lease lease(*loaded);
    RETURN_IF_ERROR(ReadTensors(module, given_inputs, given_results, *lease));
    RETURN_IF_ERROR(loaded->plan().ExecuteInto((*lease).inputs, (*lease).results, request.options()));
    CopyResults(module, *lease);
    return absl::OkStatus();
  });
}
