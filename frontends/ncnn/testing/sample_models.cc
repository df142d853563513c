#include "frontends/ncnn/testing/sample_models.h"

#include <cmath>

namespace tally::ncnn {
namespace {

// Not all equal, and of both signs.
std::vector<float> Weights(int n) {
  std::vector<float> weights;
  for (int i = 0; i < n; ++i) weights.push_back(std::sin(static_cast<float>(3 * i + 1)));
  return weights;
}

NcnnWriter Image() {
  NcnnWriter net;
  net.Input("x", {2, 7, 7});
  net.Layer("Convolution", {"x"}, {"a"}, "0=3 1=3 3=2 4=1 5=1 6=54 9=2 -23310=1,0.1");
  net.Tagged(Weights(54)).Raw(Weights(3));
  net.Layer("BatchNorm", {"a"}, {"b"}, "0=3");
  net.Raw(Weights(3)).Raw(Weights(3)).Raw({1, 2, 3}).Raw(Weights(3));
  net.Layer("Split", {"b"}, {"b0", "b1"});
  net.Layer("ConvolutionDepthWise", {"b0"}, {"c"}, "0=3 1=3 4=-233 6=27 7=3").Tagged(Weights(27));
  net.Layer("BinaryOp", {"c", "b1"}, {"d"}, "0=0");
  net.Layer("Pooling", {"d"}, {"e"}, "0=1 1=2 2=2");
  net.Layer("Deconvolution", {"e"}, {"f"}, "0=2 1=2 3=2 6=24").Halves(std::vector<uint16_t>(24, 0x3800));
  net.Layer("Scale", {"f"}, {"g"}, "0=2 1=1").Raw(Weights(2)).Raw(Weights(2));
  net.Layer("Pooling", {"g"}, {"h"}, "0=0 4=1");
  net.Layer("InnerProduct", {"h"}, {"i"}, "0=4 1=1 2=8");
  net.InTable(Weights(256), {0, 1, 2, 3, 4, 5, 6, 255}).Raw(Weights(4));
  net.Layer("Softmax", {"i"}, {"y"}, "0=0 1=1");
  return net;
}

NcnnWriter Codes() {
  NcnnWriter net;
  net.Input("x", {1, 4, 4});
  net.Layer("Convolution", {"x"}, {"a"}, "0=2 1=3 5=1 6=18 8=2 9=1");
  net.Codes({1, -2, 3, -4, 5, -6, 7, -8, 9, 127, -127, 1, 2, 3, 4, 5, 6, 7});
  net.Raw(Weights(2)).Raw({100, 50}).Raw({4});
  net.Layer("ConvolutionDepthWise", {"a"}, {"b"}, "0=2 1=1 6=2 7=2 8=101");
  net.Codes({90, -90}).Raw({100, 50}).Raw({4}).Raw({8});
  net.Layer("Quantize", {"b"}, {"c"}).Raw({4});
  net.Layer("InnerProduct", {"c"}, {"y"}, "0=1 2=8 8=1").Tagged(Weights(8)).Raw({100}).Raw({2});
  return net;
}

NcnnWriter Layout() {
  NcnnWriter net;
  net.Input("x", {4, 2, 3}).Layer("Slice", {"x"}, {"a", "b"}, "-23300=2,3,-233");
  net.Layer("Concat", {"b", "a"}, {"c"}, "0=0").Layer("ShuffleChannel", {"c"}, {"d"}, "0=2");
  net.Layer("PixelShuffle", {"d"}, {"e"}, "0=2").Layer("Padding", {"e"}, {"f"}, "0=1 3=2 4=2");
  net.Layer("Crop", {"f"}, {"g"}, "-23309=1,1 -23310=1,-233 -23311=1,1").Layer("Reorg", {"g"}, {"h"}, "0=2");
  net.Layer("Permute", {"h"}, {"i"}, "0=3").Layer("Reshape", {"i"}, {"j"}, "0=4 1=-1");
  net.Layer("Interp", {"x"}, {"k"}, "0=2 3=4 4=4").Layer("Tile", {"k"}, {"l"}, "0=0 1=2");
  net.Layer("Flatten", {"l"}, {"m"}).Layer("MemoryData", {}, {"n"}, "0=2").Raw({1, 2});
  net.Layer("Reduction", {"m"}, {"o"}, "0=3").Layer("BinaryOp", {"o", "n"}, {"p"}, "0=2");
  net.Layer("UnaryOp", {"j"}, {"q"}, "0=16").Layer("ArgMax", {"p"}, {"r"}, "0=1 1=1");
  return net;
}

NcnnWriter Sequence() {
  NcnnWriter net;
  net.Input("x", {3, 2});
  net.Layer("LSTM", {"x"}, {"a"}, "0=2 1=16").Tagged(Weights(16)).Tagged(Weights(8)).Tagged(Weights(16));
  net.Layer("GRU", {"a"}, {"b"}, "0=2 1=12").Tagged(Weights(12)).Tagged(Weights(8)).Tagged(Weights(12));
  net.Layer("RNN", {"b"}, {"c"}, "0=2 1=4").Tagged(Weights(4)).Tagged(Weights(2)).Tagged(Weights(4));
  net.Layer("MultiHeadAttention", {"c"}, {"d"}, "0=2 1=2 2=4");
  for (int i = 0; i < 4; ++i) net.Tagged(Weights(4)).Raw(Weights(2));
  net.Layer("LayerNorm", {"d"}, {"e"}, "0=2").Raw(Weights(2)).Raw(Weights(2));
  net.Layer("GELU", {"e"}, {"y"});
  return net;
}

NcnnWriter Heads() {
  NcnnWriter net;
  net.Input("x", {7, 1, 2})
      .Layer("Yolov3DetectionOutput", {"x"}, {"y"},
             "0=2 1=1 2=0.1 3=0.5 -23304=2,1.0,1.0 -23305=1,0 -23306=1,2.0");
  net.Layer("YoloDetectionOutput", {"x"}, {"z"}, "0=2 1=1 2=0.1 3=0.5 -23304=2,1.0,1.0");
  net.Layer("PriorBox", {"x"}, {"p"}, "-23300=1,4.0 -23301=1,9.0 -23302=1,2.0 9=20 10=20");
  net.Input("d", {32}).Input("s", {24}).Layer("DetectionOutput", {"d", "s", "p"}, {"o"}, "0=3 4=0.1");
  return net;
}

}  // namespace

std::vector<SampleModel> SampleModels() {
  return {{"image", Image()},
          {"codes", Codes()},
          {"layout", Layout()},
          {"sequence", Sequence()},
          {"heads", Heads()}};
}

}  // namespace tally::ncnn
