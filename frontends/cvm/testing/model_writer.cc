#include "frontends/cvm/testing/model_writer.h"

#include <utility>

namespace tally::cvm {
namespace {

using Json = nlohmann::json;

void Put(std::vector<uint8_t>& bytes, uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
}

}  // namespace

ModelWriter::ModelWriter() {
  json_ = {{"version", "cvm_1.0.0"}, {"postprocess", ""},          {"nodes", Json::array()},
           {"heads", Json::array()}, {"arg_nodes", Json::array()}, {"node_row_ptr", {0}}};
  for (const char* key : {"storage_id", "precision"}) json_["attrs"][key] = {"list_int", Json::array()};
  for (const char* key : {"op_attrs", "dltype"}) json_["attrs"][key] = {"list_str", Json::array()};
  json_["attrs"]["shape"] = {"list_shape", Json::array()};
}

void ModelWriter::AddNode(const std::string& name, Json node, const std::vector<Dims>& results,
                          int precision) {
  nodes_[name] = static_cast<int>(json_["nodes"].size());
  json_["heads"] = Json::array({Json::array({nodes_[name], 0, 0})});
  json_["nodes"].push_back(std::move(node));
  for (const Dims& dims : results) {
    attrs("storage_id").push_back(attrs("storage_id").size());
    attrs("precision").push_back(precision);
    attrs("shape").push_back(dims);
    attrs("dltype").push_back("int32");
  }
  json_["node_row_ptr"].push_back(attrs("shape").size());
}

Json ModelWriter::Reference(const std::string& value) const {
  const size_t colon = value.find(':');
  const int index = colon == std::string::npos ? 0 : std::stoi(value.substr(colon + 1));
  return Json::array({nodes_.at(value.substr(0, colon)), index, 0});
}

ModelWriter& ModelWriter::Data(const Dims& dims, int precision) {
  json_["arg_nodes"].push_back(json_["nodes"].size());
  attrs("op_attrs").push_back("{}");
  AddNode("data", {{"op", "null"}, {"name", "data"}, {"inputs", Json::array()}}, {dims}, precision);
  return *this;
}

ModelWriter& ModelWriter::Weight(const std::string& name, const Dims& dims,
                                 const std::vector<int64_t>& values, int precision, int bits) {
  json_["arg_nodes"].push_back(json_["nodes"].size());
  attrs("op_attrs").push_back("{}");
  AddNode(name, {{"op", "null"}, {"name", name}, {"inputs", Json::array()}}, {dims}, precision);
  arrays_.push_back({name, dims, values, bits});
  return *this;
}

ModelWriter& ModelWriter::Op(const std::string& op, const std::vector<std::string>& inputs,
                             const std::vector<Dims>& results,
                             const std::map<std::string, std::string>& attributes, std::string name) {
  Json references = Json::array();
  for (const std::string& input : inputs) references.push_back(Reference(input));
  if (name.empty()) name = op;
  attrs("op_attrs").push_back(Json(attributes).dump());
  AddNode(name, {{"op", "cvm_op"}, {"name", name}, {"inputs", references}, {"attrs", {{"func_name", op}}}},
          results, -1);
  return *this;
}

ModelWriter& ModelWriter::Heads(const std::vector<std::string>& values) {
  json_["heads"] = Json::array();
  for (const std::string& value : values) json_["heads"].push_back(Reference(value));
  return *this;
}

std::vector<uint8_t> ModelWriter::Params() const {
  std::vector<uint8_t> bytes;
  Put(bytes, 0xf7e58d4f05049cb7, 8);
  Put(bytes, 0, 8);
  Put(bytes, arrays_.size(), 8);
  for (const Array& array : arrays_) {
    Put(bytes, array.name.size(), 8);
    bytes.insert(bytes.end(), array.name.begin(), array.name.end());
  }
  Put(bytes, arrays_.size(), 8);
  for (const Array& array : arrays_) {
    Put(bytes, 0xdd5e40f096b4a13f, 8);
    Put(bytes, 0, 8);
    Put(bytes, 1, 4);
    Put(bytes, 0, 4);
    Put(bytes, array.dims.size(), 4);
    Put(bytes, 0, 1);
    Put(bytes, static_cast<uint64_t>(array.bits), 1);
    Put(bytes, 1, 2);
    for (const int64_t dim : array.dims) Put(bytes, static_cast<uint64_t>(dim), 8);
    Put(bytes, array.values.size() * array.bits / 8, 8);
    for (const int64_t value : array.values) Put(bytes, static_cast<uint64_t>(value), array.bits / 8);
  }
  return bytes;
}

}  // namespace tally::cvm
