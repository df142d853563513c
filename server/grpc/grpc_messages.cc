#include "server/grpc/grpc_messages.h"

#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/labels.h"
#include "server/protocol/json_request.h"

namespace tally::server {
namespace {

absl::Status NotOfForm(std::string_view what) { return MakeError(label::request_form, what); }

// Appends elements of a message's type as To. Error request_form: one does not fit.
template <typename To, typename From>
absl::Status AppendAs(const google::protobuf::RepeatedField<From>& elements, std::string& bytes) {
  for (const From element : elements) {
    if constexpr (!std::is_same_v<From, bool> && !std::is_same_v<From, float>) {
      if (!std::in_range<To>(element))
        return NotOfForm("an element of an input is not a value of its datatype");
    }
    const To value = static_cast<To>(element);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> BytesOf(const inference::InferTensorContents& contents, Datatype datatype) {
  std::string bytes;
  const auto done = [&]() -> absl::Status {
    switch (datatype) {
      case Datatype::kBool: return AppendAs<bool>(contents.bool_contents(), bytes);
      case Datatype::kInt8: return AppendAs<int8_t>(contents.int_contents(), bytes);
      case Datatype::kInt16: return AppendAs<int16_t>(contents.int_contents(), bytes);
      case Datatype::kInt32: return AppendAs<int32_t>(contents.int_contents(), bytes);
      case Datatype::kInt64: return AppendAs<int64_t>(contents.int64_contents(), bytes);
      case Datatype::kUint8: return AppendAs<uint8_t>(contents.uint_contents(), bytes);
      case Datatype::kUint16: return AppendAs<uint16_t>(contents.uint_contents(), bytes);
      case Datatype::kUint32: return AppendAs<uint32_t>(contents.uint_contents(), bytes);
      case Datatype::kUint64: return AppendAs<uint64_t>(contents.uint64_contents(), bytes);
      case Datatype::kFp32: break;
    }
    return AppendAs<float>(contents.fp32_contents(), bytes);
  }();
  RETURN_IF_ERROR(done);
  return bytes;
}

absl::Status ReadParameters(const google::protobuf::Map<std::string, inference::InferParameter>& parameters,
                            InferRequest& request) {
  for (const auto& [name, value] : parameters) {
    const std::string* text = value.has_string_param() ? &value.string_param() : nullptr;
    const int64_t number = value.int64_param();
    const bool flag = value.bool_param();
    RETURN_IF_ERROR(SetParameter(name, text, value.has_int64_param() ? &number : nullptr,
                                 value.has_bool_param() ? &flag : nullptr, request));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InferRequest> InferRequestOf(const inference::ModelInferRequest& message) {
  InferRequest request{.model = message.model_name(), .version = message.model_version(), .id = message.id()};
  RETURN_IF_ERROR(ReadParameters(message.parameters(), request));
  const int raw = message.raw_input_contents_size();
  if (raw != 0 && raw != message.inputs_size())
    return NotOfForm("raw_input_contents has not one entry for each input");
  for (int i = 0; i < message.inputs_size(); ++i) {
    const auto& from = message.inputs(i);
    const std::optional<Datatype> datatype = DatatypeOf(from.datatype());
    if (!datatype) {
      return NotOfForm(
          absl::StrCat("datatype '", PrintableStart(from.datatype()), "' is not one of integers or FP32"));
    }
    InputTensor input{from.name(), *datatype, {from.shape().begin(), from.shape().end()}, {}};
    if (raw != 0) {
      input.data = message.raw_input_contents(i);
    } else {
      ASSIGN_OR_RETURN(std::string bytes, BytesOf(from.contents(), *datatype));
      input.data = request.bytes.emplace_back(std::move(bytes));
    }
    request.inputs.push_back(std::move(input));
  }
  for (const auto& from : message.outputs()) {
    RequestedOutput output{from.name(), {}, {}};
    if (const auto datatype = from.parameters().find("datatype"); datatype != from.parameters().end()) {
      if (datatype->second.string_param() != "FP32")
        return NotOfForm("the datatype of an output may be FP32, or left out");
      output.datatype = Datatype::kFp32;
    }
    request.outputs.push_back(std::move(output));
  }
  return request;
}

void Fill(const InferResponse& response, inference::ModelInferResponse& message) {
  message.set_model_name(response.model);
  message.set_model_version(response.version);
  message.set_id(response.id);
  if (!response.claim.empty()) {
    (*message.mutable_parameters())["claim"].set_string_param(response.claim);
    (*message.mutable_parameters())["receipt"].set_string_param(response.receipt);
  }
  for (const OutputTensor& output : response.outputs) {
    auto& to = *message.add_outputs();
    to.set_name(output.name);
    to.set_datatype(std::string(NameOf(output.datatype)));
    for (const int64_t dimension : output.shape) to.add_shape(dimension);
    message.add_raw_output_contents(output.data);
  }
}

}  // namespace tally::server
