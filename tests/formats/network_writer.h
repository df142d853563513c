// Writes one network in several formats at once, with the same drawn weights: as ONNX, as ncnn, as OpenVINO's
// IR, as Core ML with ranks of the file, and, where these have all of its layers, as Core ML with five
// dimensions and in the NHWC dialect.
//
//   NetworkWriter net(3, 32);
//   net.Output(net.Softmax(net.Dense(net.GlobalPool(net.Relu(net.Conv(net.x(), 16, 3, 2))), 10)));
//   net.onnx().Import();
//
// Windows are padded as "SAME" says, which all formats have.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "frontends/coreml/testing/coreml_writer.h"
#include "frontends/ncnn/testing/ncnn_writer.h"
#include "frontends/onnx/testing/model_builder.h"
#include "frontends/openvino/testing/ir_writer.h"

namespace tally {

// An image [1, channels, size, size], or a list [1, channels] where the size is 0, as each format calls it.
struct Blob {
  std::string onnx, ncnn, nhwc;  // in Core ML it is called as in ONNX
  openvino::IrWriter::Port ir;
  int64_t channels = 0, size = 0;

  std::vector<int64_t> dims() const {
    return size == 0 ? std::vector<int64_t>{1, channels} : std::vector<int64_t>{1, channels, size, size};
  }
};

class NetworkWriter {
 public:
  // One input "x" of a square image.
  NetworkWriter(int64_t channels, int64_t size, uint32_t seed = 1);

  const Blob& x() const { return x_; }
  void Output(const Blob& y);

  // A blob of ncnn has one reader: as many as there are to be.
  std::vector<Blob> Split(const Blob& x, int64_t count);

  Blob Conv(const Blob& x, int64_t out, int64_t kernel, int64_t stride = 1, int64_t groups = 1);
  Blob Norm(const Blob& x);
  Blob Relu(const Blob& x);
  Blob Relu6(const Blob& x);
  Blob Sigmoid(const Blob& x);
  Blob HardSwish(const Blob& x);    // not NHWC
  Blob HardSigmoid(const Blob& x);  // not NHWC
  Blob MaxPool(const Blob& x, int64_t kernel, int64_t stride);
  Blob GlobalPool(const Blob& x);  // a list
  Blob Add(const Blob& a, const Blob& b);
  Blob Gate(const Blob& x, const Blob& list);  // times a number for each channel; not NHWC
  Blob Concat(const std::vector<Blob>& parts);
  Blob Part(const Blob& x, int64_t begin, int64_t end);  // channels
  Blob Shuffle(const Blob& x, int64_t groups);           // not Core ML's five dimensions
  Blob Dense(const Blob& list, int64_t out);
  Blob Softmax(const Blob& list);

  onnx::ModelBuilder& onnx() { return onnx_; }
  ncnn::NcnnWriter& ncnn() { return ncnn_; }
  openvino::IrWriter& ir() { return ir_; }
  coreml::CoremlWriter& coreml() { return exact_; }
  // Only where five dimensions have all layers.
  coreml::CoremlWriter& coreml_five() { return five_; }
  bool has_five() const { return has_five_; }
  // Only where the dialect has all layers.
  onnx::ModelBuilder& nhwc() { return nhwc_; }
  bool has_nhwc() const { return has_nhwc_; }

  // From a normal distribution.
  std::vector<float> Drawn(int64_t count, double deviation, double mean = 0);

 private:
  // A layer of the same name in ONNX and in the dialect.
  Blob Simple(const std::string& op, const std::string& layer, const std::string& operation,
              const std::vector<Blob>& inputs, const std::string& params = "");
  // Its output in IR, of layers that are one operation there.
  void InIr(Blob& y, const std::string& type, std::vector<openvino::IrWriter::Port> inputs,
            const std::string& data = "", const std::string& version = "opset1");
  openvino::IrWriter::Port IrConstant(const quant::Shape& shape, const std::vector<float>& data);
  openvino::IrWriter::Port IrList(const std::vector<int64_t>& list);
  // A layer of both forms of Core ML.
  void InCoreml(int type, const std::vector<std::string>& inputs, const std::string& output,
                const coreml::Message& params = {});
  Blob New(int64_t channels, int64_t size);
  std::string Weight(onnx::ModelBuilder& model, const quant::Shape& shape, std::vector<float> data);

  onnx::ModelBuilder onnx_, nhwc_;
  ncnn::NcnnWriter ncnn_;
  openvino::IrWriter ir_;
  coreml::CoremlWriter exact_{true}, five_;
  bool has_nhwc_ = true, has_five_ = true;
  std::mt19937 random_;
  int next_ = 0;
  Blob x_;
};

}  // namespace tally
