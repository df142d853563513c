#include "frontends/onnx/testing/node_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "frontends/onnx/float/import_onnx.h"
#include "frontends/onnx/model/decode_tensor.h"
#include "quant/graph/float_executor.h"

namespace tally::onnx {
namespace {

using ::onnx::ModelProto;
using ::onnx::TensorProto;
using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;

constexpr char kData[] = "../onnx/share/libonnx-testdata/data/";

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// input_0.pb, input_1.pb, ...
// Nothing where one is a sequence, or an optional value.
std::optional<std::vector<TensorProto>> ReadTensors(const std::string& prefix) {
  std::vector<TensorProto> tensors;
  while (true) {
    const std::string bytes = ReadFile(prefix + std::to_string(tensors.size()) + ".pb");
    if (bytes.empty()) return tensors;
    if (!tensors.emplace_back().ParseFromString(bytes) || tensors.back().data_type() == 0)
      return std::nullopt;
  }
}

absl::StatusOr<quant::Graph> Import(const ModelProto& model) {
  const std::string bytes = model.SerializeAsString();
  return ImportOnnx({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

// Imports with every input but the first `num_open` as an initializer.
absl::StatusOr<quant::Graph> ImportWith(ModelProto model, const std::vector<TensorProto>& inputs,
                                        size_t num_open) {
  for (size_t i = num_open; i < inputs.size() && static_cast<int>(i) < model.graph().input_size(); ++i) {
    TensorProto* initializer = model.mutable_graph()->add_initializer();
    *initializer = inputs[i];
    initializer->set_name(model.graph().input(static_cast<int>(i)).name());
  }
  return Import(model);
}

// Whether they agree, floats but for what sums of another order differ in.
bool AreNear(const Tensor& actual, const Tensor& expected) {
  if (quant::TypeOf(actual) != quant::TypeOf(expected)) return false;
  if (const auto* integers = std::get_if<Int64Tensor>(&expected)) {
    return std::get<Int64Tensor>(actual).data == integers->data;
  }
  return std::ranges::equal(std::get<FloatTensor>(actual).data, std::get<FloatTensor>(expected).data,
                            [](float a, float e) {
                              const bool is_same = a == e || (std::isnan(a) && std::isnan(e));
                              return is_same || std::abs(a - e) <= 1e-5 * (1 + std::abs(e));
                            });
}

// Whether the graph reads the codes of input `index` as integers, in steps of 1, and not as reals of a grid.
bool ReadsIntegers(const quant::Graph& graph, size_t index) {
  return std::ranges::any_of(graph.nodes, [&](const quant::Node& node) {
    const auto* served = std::get_if<quant::FakeQuantize>(&node.op);
    return served != nullptr && node.operands[0] == graph.inputs[index] && served->grid.scale == 1 &&
           served->grid.zero_point == 0;
  });
}

// Codes too where `are_integers`.
absl::StatusOr<Tensor> Decoded(const TensorProto& proto, bool are_integers) {
  auto tensor = DecodeTensor(proto);
  if (tensor.ok() || !are_integers) return tensor;
  auto codes = DecodeCodes(proto);
  if (!codes.ok()) return tensor.status();
  return Tensor(*std::move(codes));
}

// The outputs that say how many rows of another are meant.
size_t NumCounts(const quant::Graph& graph) {
  return static_cast<size_t>(std::ranges::count_if(
      graph.outputs, [](const quant::Output& output) { return output.name.ends_with(".count"); }));
}

// The rows of `padded` that are meant, or the columns where one number says how many.
Tensor Counted(const Tensor& padded, const Tensor& counts) {
  auto rows = std::get<Int64Tensor>(padded);
  if (quant::ShapeOf(counts).empty()) {
    const int64_t count = std::get<Int64Tensor>(counts).data[0], bound = rows.shape[1];
    Int64Tensor columns{{rows.shape[0], count}, {}};
    for (int64_t i = 0; i < std::ssize(rows.data); ++i) {
      if (i % bound < count) columns.data.push_back(rows.data[i]);
    }
    return columns;
  }
  const std::vector<int64_t>& of_images = std::get<Int64Tensor>(counts).data;
  rows.shape[0] = std::accumulate(of_images.begin(), of_images.end(), int64_t{0});
  rows.data.resize(static_cast<size_t>(rows.shape[0] * rows.shape[1]));
  return rows;
}

}  // namespace

std::string OutcomeOf(const std::string& name) {
  const std::string folder = kData + name;
  std::optional<ModelProto> read = ModelOfCase(name);
  if (!read.has_value()) return "no model";
  ModelProto& model = *read;
  // Some cases are of opset 1 or 6; their operators came into opset 7 as they were.
  for (auto& import : *model.mutable_opset_import()) {
    if (import.version() < 7) import.set_version(7);
  }
  const auto inputs = ReadTensors(folder + "/test_data_set_0/input_");
  const auto outputs = ReadTensors(folder + "/test_data_set_0/output_");
  if (!inputs.has_value() || !outputs.has_value()) return "no tensors";
  size_t num_open = inputs->size();
  auto graph = ImportWith(model, *inputs, num_open);
  // First all inputs are open, then the first alone, then none: lists that become shapes are constants.
  for (const size_t fewer : {size_t{1}, size_t{0}}) {
    if (graph.ok() || fewer >= num_open) continue;
    num_open = fewer;
    graph = ImportWith(model, *inputs, num_open);
  }
  if (!graph.ok()) return std::string(ErrorLabel(graph.status()));
  if (!quant::Verify(*graph).ok()) return "an invalid graph";
  std::vector<FloatTensor> arguments;
  for (size_t i = 0; i < num_open; ++i) {
    const auto decoded = Decoded((*inputs)[i], ReadsIntegers(*graph, i));
    if (!decoded.ok()) return "inputs of another type";
    arguments.push_back(std::visit(
        [](const auto& x) {
          return FloatTensor{x.shape, {x.data.begin(), x.data.end()}};
        },
        *decoded));
  }
  const auto results = quant::RunGraph(*graph, arguments);
  if (!results.ok()) return "no run: " + std::string(results.status().message());
  if (results->size() != outputs->size() + NumCounts(*graph)) return "another number of outputs";
  for (size_t i = 0; i < outputs->size(); ++i) {
    const bool are_integers = std::holds_alternative<Int64Tensor>((*results)[i]);
    const auto expected = Decoded((*outputs)[i], are_integers);
    if (!expected.ok()) return "outputs of another type";
    const Tensor& actual = (*results)[i];
    if (!AreNear(NumCounts(*graph) == 0 ? actual : Counted(actual, results->back()), *expected))
      return "differs";
  }
  return "pass";
}

std::optional<ModelProto> ModelOfCase(const std::string& name) {
  ModelProto model;
  if (!model.ParseFromString(ReadFile(kData + name + "/model.onnx")) || !model.has_graph())
    return std::nullopt;
  return model;
}

std::vector<std::string> AllNodeCases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(kData) + "node")) {
    names.push_back("node/" + entry.path().filename().string());
  }
  return names;
}

std::map<std::string, std::string> ReadCases(const std::string& path) {
  std::map<std::string, std::string> table;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line.front() == '#') continue;
    const size_t tab = line.find('\t');
    EXPECT_TRUE(table.emplace(line.substr(0, tab), line.substr(tab + 1)).second) << line;
  }
  return table;
}

}  // namespace tally::onnx
