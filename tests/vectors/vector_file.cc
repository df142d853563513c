#include "tests/vectors/vector_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include "vm/limits.h"

namespace tally {
namespace {

using Json = nlohmann::json;

void Require(bool condition, const std::string& message) {
  if (!condition) throw std::runtime_error(message);
}

// `object` has exactly these keys.
void RequireKeys(const Json& object, const std::set<std::string>& keys, const std::string& where) {
  Require(object.is_object(), where + " is not an object");
  for (const auto& [key, value] : object.items()) Require(keys.contains(key), where + ": unknown key " + key);
  for (const std::string& key : keys) Require(object.contains(key), where + ": key " + key + " is missing");
}

int64_t ToInt(const Json& json, const std::string& where) {
  const bool fits = !json.is_number_unsigned() || json.get<uint64_t>() <= uint64_t{INT64_MAX};
  Require(json.is_number_integer() && fits, where + " is not a 64-bit integer: " + json.dump());
  return json.get<int64_t>();
}

std::vector<int64_t> ToInts(const Json& json, const std::string& where) {
  Require(json.is_array(), where + " is not a list");
  std::vector<int64_t> values;
  for (const Json& element : json) values.push_back(ToInt(element, where));
  return values;
}

// The keys of an element of a case's lists, beside shape and values.
enum class Role { kOperand, kResult, kLoweredResult };

VectorTensor ToTensor(const Json& json, Role role, const std::string& where) {
  std::set<std::string> keys = {"shape", "values"};
  if (role != Role::kLoweredResult) keys.insert("interval");
  if (role == Role::kOperand) keys.insert("constant");
  RequireKeys(json, keys, where);
  VectorTensor result;
  const auto shape = Shape::Create(ToInts(json["shape"], where + ".shape"));
  Require(shape.ok(), where + ": " + shape.status().ToString());
  auto tensor = Tensor::FromValues(*shape, ToInts(json["values"], where + ".values"));
  Require(tensor.ok(), where + ": " + tensor.status().ToString());
  result.tensor = *std::move(tensor);
  const Interval values = result.tensor.view().Bounds();
  result.type = {*shape, values};
  if (role == Role::kLoweredResult) return result;
  const std::vector<int64_t> bounds = ToInts(json["interval"], where + ".interval");
  Require(bounds.size() == 2, where + ".interval has not two ends");
  result.type.interval = {bounds[0], bounds[1]};
  Require(result.type.interval.Contains(values), where + ": a value is outside the interval");
  if (role == Role::kOperand) result.constant = json["constant"].get<bool>();
  Require(!result.constant || values == result.type.interval, where + ": the interval of a constant is wide");
  return result;
}

std::vector<VectorTensor> ToTensors(const Json& json, Role role, const std::string& where) {
  Require(json.is_array(), where + " is not a list");
  std::vector<VectorTensor> tensors;
  for (const Json& element : json) {
    tensors.push_back(ToTensor(element, role, where + "[" + std::to_string(tensors.size()) + "]"));
  }
  return tensors;
}

AttrValue ToAttribute(const Json& json, const AttrSpec& spec, const std::string& where) {
  switch (spec.kind) {
    case AttrKind::kInt:
    case AttrKind::kFunction: return {ToInt(json, where)};
    case AttrKind::kBool: return {json.get<bool>() ? 1 : 0};
    case AttrKind::kList: return ToInts(json, where);
    case AttrKind::kEnum: break;
  }
  const auto at = std::find(spec.names.begin(), spec.names.end(), json.get<std::string>());
  Require(at != spec.names.end(), where + " has no value " + json.dump());
  return {at - spec.names.begin()};
}

Attributes ToAttributes(const Json& json, std::span<const AttrSpec> specs, const std::string& where) {
  std::set<std::string> names;
  for (const AttrSpec& spec : specs) names.emplace(spec.name);
  RequireKeys(json, names, where + ".attributes");
  Attributes attributes;
  for (const AttrSpec& spec : specs) {
    const std::string name(spec.name);
    attributes.push_back(ToAttribute(json[name], spec, where + "." + name));
  }
  return attributes;
}

std::vector<ValueId> ToIds(const Json& json, const std::string& where) {
  const std::vector<int64_t> ids = ToInts(json, where);
  return {ids.begin(), ids.end()};
}

Instruction ToInstruction(const Json& json, const std::string& where) {
  RequireKeys(json, {"operator", "operands", "attributes"}, where);
  const OpInfo* op = FindOp(json["operator"].get<std::string>());
  Require(op != nullptr, where + ": unknown operator");
  return {op->code, ToIds(json["operands"], where), ToAttributes(json["attributes"], op->attributes, where)};
}

Function ToFunction(const Json& json, const std::string& where) {
  RequireKeys(json, {"params", "body", "results"}, where);
  Function function;
  for (const Json& param : json["params"]) {
    RequireKeys(param, {"shape", "interval"}, where);
    const auto shape = Shape::Create(ToInts(param["shape"], where));
    const std::vector<int64_t> bounds = ToInts(param["interval"], where);
    Require(shape.ok() && bounds.size() == 2, where + ": no type");
    function.params.push_back({*shape, {bounds[0], bounds[1]}});
  }
  for (const Json& instruction : json["body"]) function.body.push_back(ToInstruction(instruction, where));
  function.results = ToIds(json["results"], where);
  return function;
}

VectorCase ToCase(const Json& json, const VectorFile& file) {
  Require(json.is_object() && json.contains("name"), "a case has no name");
  VectorCase result = {.name = json["name"].get<std::string>()};
  std::set<std::string> keys = {"name", "profile", "operands", "attributes"};
  if (json.contains("error")) {
    keys.insert("error");
  } else {
    keys.insert("results");
    if (file.op != nullptr) keys.insert("gas");
  }
  if (json.contains("functions")) keys.insert("functions");
  RequireKeys(json, keys, result.name);
  const auto profile = ParseProfile(json["profile"].get<std::string>());
  Require(profile.has_value(), result.name + ".profile is unknown");
  result.profile = *profile;
  result.operands = ToTensors(json["operands"], Role::kOperand, result.name + ".operands");
  const auto specs = file.op != nullptr ? file.op->attributes : file.lowering->attributes;
  result.attributes = ToAttributes(json["attributes"], specs, result.name);
  for (const Json& function : json.value("functions", Json::array())) {
    result.functions.push_back(ToFunction(function, result.name + ".functions"));
  }
  if (json.contains("error")) {
    result.error = json["error"].get<std::string>();
    Require(!result.error.empty(), result.name + ".error is empty");
    return result;
  }
  const Role role = file.op != nullptr ? Role::kResult : Role::kLoweredResult;
  result.results = ToTensors(json["results"], role, result.name + ".results");
  if (file.op != nullptr) result.gas = ToInt(json["gas"], result.name + ".gas");
  return result;
}

VectorFile ToFile(const Json& json, const std::string& path) {
  RequireKeys(json, {"_info", "cases"}, "file");
  const Json& info = json["_info"];
  const std::string kind = info.contains("lowering") ? "lowering" : "operator";
  RequireKeys(info, {kind, "source", "spec_version"}, "_info");
  Require(ToInt(info["spec_version"], "spec_version") == kSpecVersion, "other spec version");
  const std::string name = info[kind].get<std::string>();
  VectorFile file = {.op = FindOp(name)};
  if (kind == "lowering") file.lowering = FindLowering(name);
  Require((file.op == nullptr) == (kind == "lowering") && (file.op || file.lowering), "unknown " + kind);
  const std::string family(file.op != nullptr ? file.op->family : file.lowering->family);
  Require(path == "ops/" + family + "/vectors/" + name + ".json", "not the place of " + name);
  Require(info["source"] == "conformance/oracle/" + family + ".py",
          "not from the script of family " + family);
  std::set<std::string> names;
  for (const Json& element : json["cases"]) {
    file.cases.push_back(ToCase(element, file));
    Require(names.insert(file.cases.back().name).second, "two cases '" + file.cases.back().name + "'");
  }
  return file;
}

}  // namespace

absl::StatusOr<VectorFile> ReadVectorFile(const std::string& path) {
  try {
    std::ifstream stream(path);
    return ToFile(Json::parse(stream), path);
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(path + ": " + error.what());
  }
}

std::vector<std::string> AllVectorFiles() {
  std::vector<std::string> paths;
  for (const auto& family : std::filesystem::directory_iterator("ops")) {
    const auto folder = family.path() / "vectors";
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& file : std::filesystem::directory_iterator(folder)) paths.push_back(file.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace tally
