#include "server/protocol/json_response.h"

#include "base/error.h"
#include "base/printable.h"
#include "base/strings.h"
#include "server/protocol/json_elements.h"

namespace tally::server {
namespace {

void AppendMember(const char* name, std::string_view text, std::string& json) {
  absl::StrAppend(&json, "\"", name, "\":");
  AppendJson(text, json);
}

void AppendOutput(const OutputTensor& output, std::string& json) {
  json += '{';
  AppendMember("name", output.name, json);
  absl::StrAppend(&json, ",\"datatype\":\"", ToAbsl(NameOf(output.datatype)), "\",\"shape\":[");
  for (size_t i = 0; i < output.shape.size(); ++i) absl::StrAppend(&json, i > 0 ? "," : "", output.shape[i]);
  if (output.binary) {
    absl::StrAppend(&json, "],\"parameters\":{\"binary_data_size\":", output.data.size(), "}}");
  } else {
    json += "],\"data\":";
    AppendJson(output.datatype, output.data, json);
    json += '}';
  }
}

}  // namespace

InferBody ToJson(const InferResponse& response) {
  std::string json = "{";
  AppendMember("model_name", response.model, json);
  json += ',';
  AppendMember("model_version", response.version, json);
  if (!response.id.empty()) {
    json += ',';
    AppendMember("id", response.id, json);
  }
  if (!response.claim.empty()) {
    json += ",\"parameters\":{";
    AppendMember("claim", response.claim, json);
    json += ',';
    AppendMember("receipt", response.receipt, json);
    json += '}';
  }
  json += ",\"outputs\":[";
  bool has_bytes = false;
  for (size_t i = 0; i < response.outputs.size(); ++i) {
    if (i > 0) json += ',';
    AppendOutput(response.outputs[i], json);
    has_bytes = has_bytes || response.outputs[i].binary;
  }
  json += "]}";
  InferBody body{.bytes = std::move(json), .header_length = std::nullopt};
  if (!has_bytes) return body;
  body.header_length = body.bytes.size();
  for (const OutputTensor& output : response.outputs) {
    if (output.binary) body.bytes += output.data;
  }
  return body;
}

std::string ErrorJson(const absl::Status& error) {
  std::string json = "{";
  AppendMember("error", Printable(std::string(error.message())), json);
  json += ',';
  AppendMember("label", ErrorLabel(error), json);
  return json + "}";
}

}  // namespace tally::server
