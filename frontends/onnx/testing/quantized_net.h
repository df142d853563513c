// A small quantized network as ONNX Runtime's quantize_static writes it, in both of its forms, and what ONNX
// says that it computes: an oracle of exact rationals that shares no code with the importer and the lowering.
//
//   const QuantizedNet net(/*seed=*/1);
//   net.Model(QuantizedNet::Form::kQdq).Import();
//   net.Codes(image);  // the result's
//
// x [1, 3, 8, 8] -> convolution with scales for each channel, ReLU -> depthwise convolution of uint8 weights
// -> sum with what it reads -> max pool -> average of all pixels -> dense layer -> y [1, 5].
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "frontends/onnx/testing/model_builder.h"

namespace tally::onnx {

class QuantizedNet {
 public:
  enum class Form {
    kQdq,        // float operators between QuantizeLinear and DequantizeLinear
    kOperators,  // QLinearConv, QLinearAdd, ...
    kCodes,      // the same without the first QuantizeLinear and the last DequantizeLinear: x and y are uint8
  };
  // The factor of a layer's sum.
  enum class Gain {
    kReal,   // the product of its scales over that of its result, a rational
    kFloat,  // as ONNX Runtime computes it, in float32
  };

  explicit QuantizedNet(uint32_t seed);

  ModelBuilder Model(Form form) const;

  // x as integers of its grid.
  std::vector<int64_t> InputCodes(const quant::FloatTensor& x) const;
  // y as integers, of x as integers.
  std::vector<int64_t> OutputCodes(const std::vector<int64_t>& x, Gain gain) const;

 private:
  using Rational = boost::multiprecision::cpp_rational;

  struct Grid {
    float scale;
    int64_t zero;
  };
  // Weights [OC, IC / groups, KH, KW] or [OC, IC].
  struct Layer {
    std::string name;
    int type = 0;  // for the codes
    quant::Shape shape;
    std::vector<int64_t> codes;
    std::vector<float> scales;  // one, or one for each output channel
    int64_t zero = 0;
    std::vector<int64_t> bias;
    Grid to;
  };

  Layer RandomLayer(const std::string& name, int type, quant::Shape shape, bool per_channel, Grid to);
  uint32_t Next();
  float NextScale(float about);

  void AddQdqLayer(ModelBuilder& model, const Layer& layer, const std::string& x, const Grid& x_grid) const;
  std::vector<int64_t> Rescaled(const std::vector<int64_t>& sums, const Layer& layer, const Grid& x,
                                Gain gain) const;

  uint32_t state_;
  Grid input_, sum_, average_;
  Layer first_, depthwise_, dense_;
};

}  // namespace tally::onnx
