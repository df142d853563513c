// Writes ncnn models for tests, and shares nothing with what reads them.
//
//   NcnnWriter net;
//   net.Input("x", {3, 8, 8});
//   net.Layer("ReLU", {"x"}, {"y"}, "0=0.1");
//   EXPECT_EQ(net.Run({x}), ...);
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontends/ncnn/import_ncnn.h"
#include "quant/graph/float_executor.h"

namespace tally::ncnn {

class NcnnWriter {
 public:
  // A blob [w], [h, w], [c, h, w] or [c, d, h, w].
  NcnnWriter& Input(const std::string& name, const std::vector<int64_t>& blob) {
    const std::vector<std::string> ids = blob.size() == 4   ? std::vector<std::string>{"2", "11", "1", "0"}
                                         : blob.size() == 3 ? std::vector<std::string>{"2", "1", "0"}
                                         : blob.size() == 2 ? std::vector<std::string>{"1", "0"}
                                                            : std::vector<std::string>{"0"};
    std::string params;
    for (size_t i = 0; i < blob.size(); ++i) params += " " + ids[i] + "=" + std::to_string(blob[i]);
    return Layer("Input", {}, {name}, params);
  }
  NcnnWriter& Layer(const std::string& type, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs, const std::string& params = "") {
    Seen().insert(type);
    std::string line = type + " layer" + std::to_string(lines_.size()) + " " + std::to_string(inputs.size()) +
                       " " + std::to_string(outputs.size());
    for (const auto* blobs : {&inputs, &outputs}) {
      for (const std::string& blob : *blobs) line += " " + blob;
    }
    lines_.push_back(line + " " + params);
    num_blobs_ += outputs.size();
    return *this;
  }

  NcnnWriter& Raw(const std::vector<float>& floats) {
    for (const float v : floats) Word(std::bit_cast<uint32_t>(v));
    return *this;
  }
  NcnnWriter& Tagged(const std::vector<float>& floats) { return Word(0).Raw(floats); }
  // Weights in 16 bits, as their bits.
  NcnnWriter& Halves(const std::vector<uint16_t>& bits) {
    Word(0x01306B47);
    for (const uint16_t half : bits) Bytes(&half, 2);
    return Fill();
  }
  NcnnWriter& Codes(const std::vector<int8_t>& codes) {
    Word(0x000D4B38);
    Bytes(codes.data(), codes.size());
    return Fill();
  }
  NcnnWriter& InTable(const std::vector<float>& table, const std::vector<uint8_t>& places) {
    Word(0x01010101);
    Raw(table).Bytes(places.data(), places.size());
    return Fill();
  }
  NcnnWriter& Word(uint32_t word) {
    Bytes(&word, 4);
    return *this;
  }

  // The types of all layers that were written.
  static std::set<std::string>& Seen() {
    static std::set<std::string> seen;
    return seen;
  }

  std::string param() const {
    std::string text = "7767517\n" + std::to_string(lines_.size()) + " " + std::to_string(num_blobs_) + "\n";
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }
  std::vector<uint8_t> weights() const { return weights_; }

  absl::StatusOr<quant::Graph> Import() const {
    const std::string text = param();
    return ImportNcnn({{reinterpret_cast<const uint8_t*>(text.data()), text.size()}, weights_}, {});
  }
  std::string ImportLabel() const { return std::string(ErrorLabel(Import().status())); }

  // The elements of each output; inputs are in the order of the file.
  std::vector<std::vector<float>> Run(const std::vector<std::vector<float>>& inputs) const {
    const auto graph = Import();
    EXPECT_TRUE(graph.ok()) << graph.status();
    if (!graph.ok()) return {};
    std::vector<quant::FloatTensor> tensors;
    for (size_t i = 0; i < inputs.size(); ++i) {
      tensors.push_back({graph->values[graph->inputs[i]].type.shape, inputs[i]});
    }
    const auto results = quant::RunGraph(*graph, tensors);
    EXPECT_TRUE(results.ok()) << results.status();
    std::vector<std::vector<float>> floats;
    if (!results.ok()) return floats;
    for (const quant::Tensor& result : *results) {  // counts of rows are integers
      if (const auto* data = std::get_if<quant::FloatTensor>(&result)) floats.push_back(data->data);
    }
    return floats;
  }

 private:
  NcnnWriter& Bytes(const void* data, size_t size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    weights_.insert(weights_.end(), bytes, bytes + size);
    return *this;
  }
  NcnnWriter& Fill() {
    weights_.resize((weights_.size() + 3) / 4 * 4);
    return *this;
  }

  std::vector<std::string> lines_;
  size_t num_blobs_ = 0;
  std::vector<uint8_t> weights_;
};

}  // namespace tally::ncnn
