#include "server/protocol/json_request.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"
#include "server/protocol/json_elements.h"

namespace tally::server {
namespace {

using nlohmann::json;

absl::Status NotOfForm(std::string_view what) { return MakeError(label::request_form, what); }

// A member of an object; null where there is none.
const json* MemberOf(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

absl::StatusOr<std::string> TextOf(const json& object, const char* name) {
  const json* member = MemberOf(object, name);
  if (member == nullptr || !member->is_string())
    return NotOfForm(absl::StrCat("a request lacks the text '", name, "'"));
  return member->get<std::string>();
}

absl::StatusOr<std::vector<int64_t>> ShapeOf(const json& object) {
  const json* member = MemberOf(object, "shape");
  if (member == nullptr || !member->is_array()) return NotOfForm("an input lacks its shape");
  std::vector<int64_t> shape;
  for (const json& dimension : *member) {
    if (!dimension.is_number_unsigned() ||
        dimension.get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()})
      return NotOfForm("a dimension of an input is not a natural number");
    shape.push_back(dimension.get<int64_t>());
  }
  return shape;
}

// The elements that a shape has, or `most` where it has more.
size_t ElementsOf(const std::vector<int64_t>& shape, size_t most) {
  uint64_t elements = 1;
  for (const int64_t dimension : shape) {
    if (dimension != 0 && elements > most / static_cast<uint64_t>(dimension)) return most;
    elements *= static_cast<uint64_t>(dimension);
  }
  return elements;
}

const json kNoParameters = json::object();

absl::StatusOr<const json*> ParametersOf(const json& object) {
  const json* parameters = MemberOf(object, "parameters");
  if (parameters == nullptr) return &kNoParameters;
  if (!parameters->is_object()) return NotOfForm("parameters are not an object");
  return parameters;
}

// Reads the inputs; `binary` is what follows the JSON, and is used up from its start.
absl::Status ReadInputs(const json& root, std::string_view binary, InferRequest& request) {
  const json* inputs = MemberOf(root, "inputs");
  if (inputs == nullptr || !inputs->is_array()) return NotOfForm("a request lacks its inputs");
  for (const json& from : *inputs) {
    if (!from.is_object()) return NotOfForm("an input is not an object");
    InputTensor input;
    ASSIGN_OR_RETURN(input.name, TextOf(from, "name"));
    ASSIGN_OR_RETURN(const std::string datatype, TextOf(from, "datatype"));
    const std::optional<Datatype> known = DatatypeOf(datatype);
    if (!known)
      return NotOfForm(
          absl::StrCat("datatype '", PrintableStart(datatype), "' is not one of integers or FP32"));
    input.datatype = *known;
    ASSIGN_OR_RETURN(input.shape, ShapeOf(from));
    ASSIGN_OR_RETURN(const json* parameters, ParametersOf(from));
    if (const json* size = MemberOf(*parameters, "binary_data_size")) {
      if (!size->is_number_unsigned() || size->get<uint64_t>() > binary.size())
        return NotOfForm("binary_data_size is not a number of bytes that follow the JSON");
      input.data = binary.substr(0, size->get<size_t>());
      binary.remove_prefix(input.data.size());
    } else {
      const json* data = MemberOf(from, "data");
      if (data == nullptr) return NotOfForm("an input has neither data nor binary_data_size");
      ASSIGN_OR_RETURN(std::string bytes,
                       ElementsOfJson(*data, input.datatype, ElementsOf(input.shape, kMostJsonBytes)));
      input.data = request.bytes.emplace_back(std::move(bytes));
    }
    request.inputs.push_back(std::move(input));
  }
  if (!binary.empty()) return NotOfForm("more bytes follow the JSON than its inputs have");
  return absl::OkStatus();
}

absl::Status ReadOutputs(const json& root, InferRequest& request) {
  const json* outputs = MemberOf(root, "outputs");
  if (outputs == nullptr) return absl::OkStatus();
  if (!outputs->is_array()) return NotOfForm("outputs are not an array");
  for (const json& from : *outputs) {
    if (!from.is_object()) return NotOfForm("an output is not an object");
    RequestedOutput output;
    ASSIGN_OR_RETURN(output.name, TextOf(from, "name"));
    ASSIGN_OR_RETURN(const json* parameters, ParametersOf(from));
    if (const json* binary = MemberOf(*parameters, "binary_data")) {
      if (!binary->is_boolean()) return NotOfForm("binary_data is neither true nor false");
      output.binary = binary->get<bool>();
    }
    if (const json* datatype = MemberOf(*parameters, "datatype")) {
      if (*datatype != "FP32") return NotOfForm("the datatype of an output may be FP32, or left out");
      output.datatype = Datatype::kFp32;
    }
    request.outputs.push_back(std::move(output));
  }
  return absl::OkStatus();
}

absl::Status ReadParameters(const json& root, InferRequest& request) {
  ASSIGN_OR_RETURN(const json* parameters, ParametersOf(root));
  for (const auto& [name, value] : parameters->items()) {
    const std::string* text = value.get_ptr<const std::string*>();
    const bool* flag = value.get_ptr<const bool*>();
    const int64_t* number = value.is_number_integer() ? value.get_ptr<const int64_t*>() : nullptr;
    RETURN_IF_ERROR(SetParameter(name, text, number, flag, request));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SetParameter(std::string_view name, const std::string* text, const int64_t* number,
                          const bool* flag, InferRequest& request) {
  if (name == "receipt") {
    if (text == nullptr || (*text != "none" && *text != "io" && *text != "trace"))
      return NotOfForm("receipt is not none, io or trace");
    request.receipt = *text == "io"      ? ReceiptKind::kIo
                      : *text == "trace" ? ReceiptKind::kTrace
                                         : ReceiptKind::kNone;
  } else if (name == "nonce") {
    if (text != nullptr) request.nonce = ParseDigest(*text);
    if (!request.nonce) return NotOfForm("nonce is not 64 hexadecimal digits");
  } else if (name == "timeout") {
    if (number == nullptr || *number <= 0) return NotOfForm("timeout is not a number of microseconds");
    request.timeout_us = *number;
  } else if (name == "binary_data_output") {
    if (flag == nullptr) return NotOfForm("binary_data_output is neither true nor false");
    request.binary_outputs = *flag;
  }
  return absl::OkStatus();
}

absl::StatusOr<InferRequest> InferRequestOfJson(std::string body, std::optional<size_t> header_length) {
  InferRequest request;
  const std::string_view bytes = request.bytes.emplace_back(std::move(body));
  if (header_length && *header_length > bytes.size())
    return NotOfForm("Inference-Header-Content-Length is more than the request has");
  const std::string_view text = bytes.substr(0, header_length.value_or(bytes.size()));
  if (text.size() > kMostJsonBytes) {
    return MakeError(label::request_size,
                     absl::StrCat("a request has ", text.size(), " bytes of JSON, and may have ",
                                  kMostJsonBytes, ": send large tensors in bytes (binary_data_size)"));
  }
  const json root = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) return NotOfForm("a request is not a JSON object");
  if (const json* id = MemberOf(root, "id")) {
    if (!id->is_string()) return NotOfForm("the id of a request is not a text");
    request.id = id->get<std::string>();
  }
  RETURN_IF_ERROR(ReadParameters(root, request));
  RETURN_IF_ERROR(ReadInputs(root, bytes.substr(text.size()), request));
  RETURN_IF_ERROR(ReadOutputs(root, request));
  return request;
}

}  // namespace tally::server
