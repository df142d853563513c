// Writes Core ML models for tests by the numbers of Apple's messages, and shares nothing with what reads
// them.
//
//   CoremlWriter net;
//   net.Input(ImageFeature("x", 8, 8));
//   net.Layer(130, {"x"}, {"y"}, Message().Add(40, Message()));  // activation: sigmoid
//   net.Output("y", {3, 8, 8});
//   EXPECT_EQ(net.ImportLabel(), "");
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontends/coreml/import_coreml.h"

namespace tally::coreml {

// Fields of a message, in the order in which they are added.
class Message {
 public:
  Message() = default;

  Message& Add(int field, int64_t value) {
    Varint(static_cast<uint64_t>(field) << 3);
    Varint(static_cast<uint64_t>(value));
    return *this;
  }
  Message& Add(int field, int value) { return Add(field, static_cast<int64_t>(value)); }
  Message& Add(int field, float value) {
    Varint(static_cast<uint64_t>(field) << 3 | 5);
    Word(std::bit_cast<uint32_t>(value));
    return *this;
  }
  Message& Add(int field, const std::string& bytes) {
    Varint(static_cast<uint64_t>(field) << 3 | 2);
    Varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  Message& Add(int field, const char* text) { return Add(field, std::string(text)); }
  Message& Add(int field, const Message& message) { return Add(field, message.bytes_); }
  Message& Add(int field, const std::vector<int64_t>& values) {
    Message packed;
    for (const int64_t value : values) packed.Varint(static_cast<uint64_t>(value));
    return Add(field, packed.bytes_);
  }
  Message& Add(int field, const std::vector<float>& values) {
    Message packed;
    for (const float value : values) packed.Word(std::bit_cast<uint32_t>(value));
    return Add(field, packed.bytes_);
  }

  const std::string& bytes() const { return bytes_; }
  // The fields of both: messages after each other are one.
  Message operator+(const Message& other) const {
    Message both = *this;
    both.bytes_ += other.bytes_;
    return both;
  }

 private:
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void Word(uint32_t value) {
    for (int i = 0; i < 4; ++i) bytes_ += static_cast<char>(value >> (8 * i));
  }

  std::string bytes_;
};

// WeightParams of floats.
inline Message Floats(const std::vector<float>& data) { return Message().Add(1, data); }
// ValidPadding, or that of a pool, without pads.
inline Message NoPads() { return {}; }

inline Message ArrayFeature(const std::string& name, const std::vector<int64_t>& shape, int element = 65568) {
  return Message().Add(1, name).Add(3, Message().Add(5, Message().Add(1, shape).Add(2, element)));
}
inline Message ImageFeature(const std::string& name, int64_t height, int64_t width, int color = 20) {
  return Message().Add(1, name).Add(3,
                                    Message().Add(4, Message().Add(1, width).Add(2, height).Add(3, color)));
}

class CoremlWriter {
 public:
  // Ranks are those of the file where `is_exact`, else five.
  explicit CoremlWriter(bool is_exact = false) : is_exact_(is_exact) {}

  void Input(const Message& feature) { description_.Add(1, feature); }
  void Array(const std::string& name, const std::vector<int64_t>& shape) { Input(ArrayFeature(name, shape)); }
  void Output(const std::string& name, const std::vector<int64_t>& shape) {
    description_.Add(10, ArrayFeature(name, shape));
  }
  Message& description() { return description_; }

  void Layer(int type, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
             const Message& params = {}, const std::string& name = "") {
    Message layer;
    layer.Add(1, name.empty() ? "layer" + std::to_string(num_layers_) : name);
    for (const std::string& input : inputs) layer.Add(2, input);
    for (const std::string& output : outputs) layer.Add(3, output);
    layers_.Add(1, layer.Add(type, params));
    ++num_layers_;
  }
  // loadConstantND, or loadConstant of (C, H, W).
  void Constant(const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& data) {
    Layer(is_exact_ ? 1070 : 290, {}, {name}, Message().Add(1, shape).Add(2, Floats(data)));
  }
  // Further fields of the network: preprocessing, labels.
  Message& network() { return more_; }

  // The network as a message, as branches, loops and models have it.
  Message Network() const { return layers_ + (is_exact_ ? Message().Add(5, 1) : Message()) + more_; }
  // A model of it; 403 is a classifier, 303 a regressor.
  Message Model(int type = 500) const {
    return Message().Add(1, 4).Add(2, description_).Add(type, Network());
  }

  std::vector<uint8_t> Bytes(int type = 500) const { return BytesOf(Model(type)); }
  static std::vector<uint8_t> BytesOf(const Message& model) {
    return {model.bytes().begin(), model.bytes().end()};
  }
  absl::StatusOr<frontend::Network> Import(const frontend::GivenInputs& given = {}) const {
    return ImportCoreml(Bytes(), given);
  }
  std::string ImportLabel() const { return std::string(ErrorLabel(Import().status())); }

 private:
  bool is_exact_;
  Message description_, layers_, more_;
  int num_layers_ = 0;
};

}  // namespace tally::coreml
