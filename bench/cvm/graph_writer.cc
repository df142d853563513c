#include "bench/cvm/graph_writer.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "frontends/cvm/params.h"
#include "ops/precision.h"

namespace tally::bench {
namespace {

using Json = nlohmann::ordered_json;

template <typename Element>
Tensor TensorOf(const Dims& dims, std::span<const Element> values) {
  Tensor tensor(*Shape::Create(dims), sizeof(Element) == 1 ? Storage::kI8 : Storage::kI32);
  std::memcpy(tensor.mutable_bytes().data(), values.data(), values.size_bytes());
  return tensor;
}

Json Tagged(const char* tag, Json list) { return Json::array({tag, std::move(list)}); }

}  // namespace

GraphWriter::GraphWriter(Dims data) { Push({"null", "data", {}, {}, std::move(data), 8}); }

int GraphWriter::Push(Node node) {
  nodes_.push_back(std::move(node));
  return static_cast<int>(nodes_.size()) - 1;
}

int GraphWriter::Variable(const std::string& name, int precision, Dims dims, Tensor values) {
  arrays_.emplace_back(name, std::move(values));
  return Push({"null", name, {}, {}, std::move(dims), precision});
}

int GraphWriter::Weights(const std::string& name, Dims dims, std::span<const int8_t> values) {
  return Variable(name, 8, dims, TensorOf(dims, values));
}

int GraphWriter::Integers(const std::string& name, Dims dims, std::span<const int32_t> values) {
  Tensor tensor = TensorOf(dims, values);
  const int precision = PrecisionOf(tensor.view().Bounds().Magnitude());
  return Variable(name, precision, dims, std::move(tensor));
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
  std::vector<cvm::Param> params;
  for (const auto& [name, tensor] : arrays_) params.push_back({name, tensor.view()});
  return {graph.dump(), cvm::WriteParams(params)};
}

}  // namespace tally::bench
