// Writes IR files for tests, and shares nothing with what reads them.
//
//   IrWriter ir;
//   const auto x = ir.Parameter("x", {1, 3});
//   ir.Result(ir.Layer("ReLU", "y", {x}, {{1, 3}})[0]);
//   EXPECT_EQ(ir.ImportLabel(), "");
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontends/openvino/import_openvino.h"

namespace tally::openvino {

class IrWriter {
 public:
  using Dims = std::vector<int64_t>;
  struct Port {
    size_t layer = 0, port = 0;
    Dims dims;
  };

  Port Parameter(const std::string& name, const Dims& dims, const std::string& type = "f32") {
    return Layer("Parameter", name, {}, {dims}, "element_type=\"" + type + "\" shape=\"" + List(dims) + "\"",
                 "opset1", "", type)[0];
  }
  Port Constant(const std::string& name, const Dims& dims, const std::vector<float>& data) {
    const size_t offset = weights_.size();
    for (const float value : data) Word(std::bit_cast<uint32_t>(value), 4);
    return ConstantAt(name, dims, "f32", offset, 4 * data.size());
  }
  Port Integers(const std::string& name, const Dims& dims, const std::vector<int64_t>& data) {
    const size_t offset = weights_.size();
    for (const int64_t value : data) Word(static_cast<uint64_t>(value), 8);
    return ConstantAt(name, dims, "i64", offset, 8 * data.size());
  }
  // Integers of 8 bits, as "i8" or "u8".
  Port Codes(const std::string& name, const Dims& dims, const std::string& type,
             const std::vector<int>& data) {
    const size_t offset = weights_.size();
    for (const int value : data) Word(static_cast<uint64_t>(value), 1);
    return ConstantAt(name, dims, type, offset, data.size());
  }
  Port ConstantAt(const std::string& name, const Dims& dims, const std::string& type, size_t offset,
                  size_t size) {
    return Layer("Const", name, {}, {dims},
                 "element_type=\"" + type + "\" shape=\"" + List(dims) + "\" offset=\"" +
                     std::to_string(offset) + "\" size=\"" + std::to_string(size) + "\"",
                 "opset1", "", type)[0];
  }
  std::vector<Port> Layer(const std::string& type, const std::string& name, const std::vector<Port>& inputs,
                          const std::vector<Dims>& outputs, const std::string& data = "",
                          const std::string& version = "opset1", const std::string& inner = "",
                          const std::string& precision = "FP32") {
    const size_t id = num_layers_++;
    layers_ += "<layer id=\"" + std::to_string(id) + "\" name=\"" + name + "\" type=\"" + type +
               "\" version=\"" + version + "\"><data " + data + "/>";
    if (!inputs.empty()) layers_ += "<input>";
    for (size_t i = 0; i < inputs.size(); ++i) {
      layers_ += "<port id=\"" + std::to_string(i) + "\">" + DimsOf(inputs[i].dims) + "</port>";
      Edge(inputs[i].layer, inputs[i].port, id, i);
    }
    if (!inputs.empty()) layers_ += "</input>";
    std::vector<Port> ports;
    if (!outputs.empty()) layers_ += "<output>";
    for (const Dims& dims : outputs) {
      ports.push_back({id, inputs.size() + ports.size(), dims});
      layers_ += "<port id=\"" + std::to_string(ports.back().port) + "\" precision=\"" + precision + "\">" +
                 DimsOf(dims) + "</port>";
    }
    if (!outputs.empty()) layers_ += "</output>";
    layers_ += inner + "</layer>";
    return ports;
  }
  void Result(const Port& port) { Layer("Result", "result" + std::to_string(num_layers_), {port}, {}); }
  void Edge(size_t from, size_t from_port, size_t to, size_t to_port) {
    edges_ += "<edge from-layer=\"" + std::to_string(from) + "\" from-port=\"" + std::to_string(from_port) +
              "\" to-layer=\"" + std::to_string(to) + "\" to-port=\"" + std::to_string(to_port) + "\"/>";
  }

  // As a body within another layer has it; ids count from 0.
  std::string graph() const { return "<layers>" + layers_ + "</layers><edges>" + edges_ + "</edges>"; }
  std::string xml(const std::string& version = "10") const {
    return "<?xml version=\"1.0\"?><net name=\"net\" version=\"" + version + "\">" + graph() + "</net>";
  }
  const std::vector<uint8_t>& weights() const { return weights_; }

  absl::StatusOr<quant::Graph> Import() const { return ImportText(xml(), weights_); }
  std::string ImportLabel() const { return std::string(ErrorLabel(Import().status())); }
  static absl::StatusOr<quant::Graph> ImportText(const std::string& text,
                                                 const std::vector<uint8_t>& weights) {
    return ImportOpenVino({{reinterpret_cast<const uint8_t*>(text.data()), text.size()}, weights}, {});
  }

 private:
  static std::string List(const Dims& dims) {
    std::string text;
    for (const int64_t dim : dims) text += (text.empty() ? "" : ",") + std::to_string(dim);
    return text;
  }
  static std::string DimsOf(const Dims& dims) {
    std::string text;
    for (const int64_t dim : dims) text += "<dim>" + std::to_string(dim) + "</dim>";
    return text;
  }
  void Word(uint64_t word, int bytes) {
    for (int i = 0; i < bytes; ++i) weights_.push_back(static_cast<uint8_t>(word >> (8 * i)));
  }

  std::string layers_, edges_;
  std::vector<uint8_t> weights_;
  size_t num_layers_ = 0;
};

}  // namespace tally::openvino
