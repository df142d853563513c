#include "bench/cvm/graph_writer.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "ops/precision.h"

namespace tally::bench {
namespace {

using Json = nlohmann::ordered_json;

// Little endian.
class Bytes {
 public:
  void Put(uint64_t value, int size) {
    for (int i = 0; i < size; ++i) text_.push_back(static_cast<char>(value >> 8 * i));
  }
  void Put(const std::string& text) {
    Put(text.size(), 8);
    text_ += text;
  }
  std::string Take() && { return std::move(text_); }

 private:
  std::string text_;
};

Json Tagged(const char* tag, Json list) { return Json::array({tag, std::move(list)}); }

}  // namespace

GraphWriter::GraphWriter(Dims data) { Push({"null", "data", {}, {}, std::move(data), 8}); }

int GraphWriter::Push(Node node) {
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

int GraphWriter::Variable(const std::string& name, int precision, int bits, Dims dims, std::string bytes) {
  arrays_.push_back({name, bits, dims, std::move(bytes)});
  return Push({"null", name, {}, {}, std::move(dims), precision});
}

int GraphWriter::Weights(const std::string& name, Dims dims, std::span<const int8_t> values) {
  return Variable(name, 8, 8, std::move(dims), std::string(values.begin(), values.end()));
}

int GraphWriter::Integers(const std::string& name, Dims dims, std::span<const int32_t> values) {
  uint64_t magnitude = 0;
  Bytes bytes;
  for (const int32_t value : values) {
    magnitude = std::max(magnitude, static_cast<uint64_t>(std::abs(int64_t{value})));
    bytes.Put(static_cast<uint32_t>(value), 4);
  }
  return Variable(name, PrecisionOf(magnitude), 32, std::move(dims), std::move(bytes).Take());
}

int GraphWriter::Operator(const std::string& op, std::vector<int> inputs, CvmAttributes attributes,
                          Dims result) {
  const std::string name = op + std::to_string(nodes_.size());
  return Push({op, name, std::move(inputs), std::move(attributes), std::move(result), -1});
}

CvmModel GraphWriter::Finish(int head) && {
  Json nodes = Json::array(), arg_nodes = Json::array(), row_ptr = Json::array({0});
  Json shapes = Json::array(), precisions = Json::array(), storage = Json::array();
  Json types = Json::array(), op_attributes = Json::array();
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const bool variable = node.op == "null";
    Json inputs = Json::array(), attributes = Json::object();
    for (const int input : node.inputs) inputs.push_back({input, 0, 0});
    for (const auto& [key, value] : node.attributes) attributes[key] = value;
    Json json = {{"op", variable ? "null" : "cvm_op"}, {"name", node.name}};
    if (variable) {
      arg_nodes.push_back(i);
    } else {
      json["attrs"] = {{"func_name", node.op},
                       {"num_inputs", std::to_string(node.inputs.size())},
                       {"num_outputs", "1"},
                       {"flatten_data", "0"}};
    }
    json["inputs"] = inputs;
    nodes.push_back(json);
    row_ptr.push_back(i + 1);
    shapes.push_back(node.dims);
    precisions.push_back(node.precision);
    storage.push_back(i);  // nothing shares a buffer
    types.push_back("int32");
    op_attributes.push_back(attributes.dump());
  }
  const Json graph = {{"version", "cvm_1.0.0"},
                      {"nodes", nodes},
                      {"arg_nodes", arg_nodes},
                      {"node_row_ptr", row_ptr},
                      {"heads", Json::array({Json::array({head, 0, 0})})},
                      {"attrs",
                       {{"shape", Tagged("list_shape", shapes)},
                        {"precision", Tagged("list_int", precisions)},
                        {"storage_id", Tagged("list_int", storage)},
                        {"dltype", Tagged("list_str", types)},
                        {"op_attrs", Tagged("list_str", op_attributes)}}},
                      {"postprocess", ""}};
  Bytes params;
  params.Put(0xF7E58D4F05049CB7, 8);
  params.Put(0, 8);
  params.Put(arrays_.size(), 8);
  for (const Array& array : arrays_) params.Put(array.name);
  params.Put(arrays_.size(), 8);
  std::string bytes = std::move(params).Take();
  for (const Array& array : arrays_) {
    Bytes head_of_array;
    head_of_array.Put(0xDD5E40F096B4A13F, 8);
    head_of_array.Put(0, 8);
    head_of_array.Put(1, 4);  // in the memory of the processor
    head_of_array.Put(0, 4);
    head_of_array.Put(array.dims.size(), 4);
    head_of_array.Put(0, 1);  // signed integers
    head_of_array.Put(static_cast<uint64_t>(array.bits), 1);
    head_of_array.Put(1, 2);
    for (const int64_t dim : array.dims) head_of_array.Put(static_cast<uint64_t>(dim), 8);
    head_of_array.Put(array.bytes.size(), 8);
    bytes += std::move(head_of_array).Take() + array.bytes;
  }
  return {graph.dump(), std::move(bytes)};
}

}  // namespace tally::bench
