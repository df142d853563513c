// The exports: pointers and lengths in, status codes out. No exception leaves them.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "api/boundary.h"
#include "api/cvm/graph_figures.h"
#include "api/cvm/labels.h"
#include "api/cvm/loaded_model.h"
#include "api/cvm/node_faults.h"
#include "api/cvm/tally_cvm.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace tally::cvm {
namespace {

using api::NotNull;

// The environment is read at each failure, so that nothing is kept between calls.
void Log(const char* function, const api::Failure& failure) noexcept {
  const char* wanted = std::getenv("TALLY_CVM_LOG");
  if (wanted == nullptr || *wanted == '\0') return;
  // One call, so that lines of several threads stay whole.
  std::fprintf(stderr, "tally_cvm: %s: error[%.*s]: %.*s\n", function, static_cast<int>(failure.label.size()),
               failure.label.data(), static_cast<int>(failure.message.size()), failure.message.data());
}

// Runs `body`, which returns an absl::Status.
template <typename Body>
int Call(const char* function, const Body& body) noexcept {
  int code = CVMAPI_SUCCEED;
  api::Guard(body, [&](const api::Failure& failure) {
    Log(function, failure);
    code = IsOfTheNode(failure) ? CVMAPI_ERROR_RUNTIME : CVMAPI_ERROR_LOGIC;
  });
  return code;
}

absl::Status NotNegative(int length, std::string_view name) {
  if (length >= 0) return absl::OkStatus();
  return MakeError(label::cvm_data_length, absl::StrCat(ToAbsl(name), " is ", length));
}

absl::StatusOr<std::string_view> EngineOf(int device) {
  switch (device) {
    case CVMAPI_CPU: return "cpu";
    case CVMAPI_GPU: return "cuda";
    case CVMAPI_FORMAL: return "formal";
  }
  return MakeError(label::cvm_device,
                   absl::StrCat("device ", device, " is neither 0 (CPU), 1 (GPU) nor 2 (formal)"));
}

std::span<const uint8_t> Bytes(const char* data, int length) {
  return {reinterpret_cast<const uint8_t*>(data), static_cast<size_t>(length)};
}

// A number of the model.
template <typename Figure>
int GetNumber(const char* function, const void* net, unsigned long long* number,
              const Figure& figure) noexcept {
  return Call(function, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(net, "net"));
    RETURN_IF_ERROR(NotNull(number, "the place for the result"));
    const absl::StatusOr<int64_t> value = figure(*static_cast<const LoadedModel*>(net));
    RETURN_IF_ERROR(value.status());
    *number = static_cast<unsigned long long>(*value);
    return absl::OkStatus();
  });
}

// A text of the model, which import has held to CVMAPI_STRING_BYTES.
template <typename Text>
int GetText(const char* function, const void* net, char* text, const Text& text_of) noexcept {
  return Call(function, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(net, "net"));
    RETURN_IF_ERROR(NotNull(text, "the place for the text"));
    const std::string& value = text_of(*static_cast<const LoadedModel*>(net));
    std::memcpy(text, value.c_str(), std::min<size_t>(value.size() + 1, CVMAPI_STRING_BYTES));
    return absl::OkStatus();
  });
}

}  // namespace
}  // namespace tally::cvm

using namespace tally;       // NOLINT: the exports are outside any namespace
using namespace tally::cvm;  // NOLINT

int CVMAPILoadModel(const char* graph_json, int graph_strlen, const char* param_bytes, int param_strlen,
                    void** net, int device_type, int /*device_id*/) {
  if (net != nullptr) *net = nullptr;
  return Call(__func__, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(net, "net"));
    RETURN_IF_ERROR(NotNull(graph_json, "graph_json"));
    RETURN_IF_ERROR(NotNull(param_bytes, "param_bytes"));
    ASSIGN_OR_RETURN(const std::string_view engine, EngineOf(device_type));
    RETURN_IF_ERROR(NotNegative(graph_strlen, "graph_strlen"));
    RETURN_IF_ERROR(NotNegative(param_strlen, "param_strlen"));
    ASSIGN_OR_RETURN(auto model, LoadedModel::Load({graph_json, static_cast<size_t>(graph_strlen)},
                                                   Bytes(param_bytes, param_strlen), engine));
    *net = const_cast<LoadedModel*>(model.release());
    return absl::OkStatus();
  });
}

int CVMAPIFreeModel(void* net) {
  delete static_cast<const LoadedModel*>(net);
  return CVMAPI_SUCCEED;
}

int CVMAPIInference(void* net, char* input_data, int input_len, char* output_data) {
  return Call(__func__, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(net, "net"));
    RETURN_IF_ERROR(NotNull(input_data, "input_data"));
    RETURN_IF_ERROR(NotNull(output_data, "output_data"));
    RETURN_IF_ERROR(NotNegative(input_len, "input_len"));
    return static_cast<const LoadedModel*>(net)->Infer(Bytes(input_data, input_len),
                                                       reinterpret_cast<uint8_t*>(output_data));
  });
}

int CVMAPIGetVersion(void* net, char* version) {
  return GetText(__func__, net, version,
                 [](const LoadedModel& m) -> const std::string& { return m.version(); });
}

int CVMAPIGetPreprocessMethod(void* net, char* method) {
  return GetText(__func__, net, method,
                 [](const LoadedModel& m) -> const std::string& { return m.postprocess(); });
}

int CVMAPIGetInputLength(void* net, unsigned long long* size) {
  return GetNumber(__func__, net, size, [](const LoadedModel& m) { return m.input_bytes(); });
}

int CVMAPIGetOutputLength(void* net, unsigned long long* size) {
  return GetNumber(__func__, net, size, [](const LoadedModel& m) { return m.output_bytes(); });
}

int CVMAPIGetInputTypeSize(void* net, unsigned long long* size) {
  return GetNumber(__func__, net, size, [](const LoadedModel& m) { return SizeBytes(m.input_storage()); });
}

int CVMAPIGetOutputTypeSize(void* net, unsigned long long* size) {
  return GetNumber(__func__, net, size, [](const LoadedModel& m) { return SizeBytes(m.output_storage()); });
}

int CVMAPIGetStorageSize(void* net, unsigned long long* size) {
  return GetNumber(__func__, net, size, [](const LoadedModel& m) { return StorageOfGraph(m.graph()); });
}

int CVMAPIGetGasFromModel(void* net, unsigned long long* gas) {
  return GetNumber(__func__, net, gas, [](const LoadedModel& m) { return GasOfGraph(m.graph()); });
}

int CVMAPIGetGasFromGraphFile(const char* graph_json, unsigned long long* gas) {
  return Call(__func__, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(graph_json, "graph_json"));
    RETURN_IF_ERROR(NotNull(gas, "the place for the result"));
    ASSIGN_OR_RETURN(const Graph graph, ParseGraph(graph_json));
    ASSIGN_OR_RETURN(const int64_t total, GasOfGraph(graph));
    *gas = static_cast<unsigned long long>(total);
    return absl::OkStatus();
  });
}
