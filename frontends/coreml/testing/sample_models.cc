#include "frontends/coreml/testing/sample_models.h"

#include <cmath>

#include "frontends/coreml/testing/coreml_writer.h"

namespace tally::coreml {
namespace {

using Ints = std::vector<int64_t>;

// Not all equal, and of both signs.
std::vector<float> Drawn(int n) {
  std::vector<float> data;
  for (int i = 0; i < n; ++i) data.push_back(std::sin(static_cast<float>(3 * i + 1)));
  return data;
}

Message Conv(int64_t out, int64_t in, int64_t kernel, int64_t groups, const Message& weights) {
  return Message()
      .Add(1, out)
      .Add(2, in)
      .Add(10, groups)
      .Add(20, Ints{kernel, kernel})
      .Add(51, Message())
      .Add(70, 1)
      .Add(90, weights)
      .Add(91, Floats(Drawn(static_cast<int>(out))));
}

// A classifier of images: weights of floats, of halves, of linear codes and of a table.
std::vector<uint8_t> Image() {
  CoremlWriter net;
  net.Input(ImageFeature("image", 6, 6));
  net.network().Add(2, Message().Add(1, "image").Add(10, Message().Add(10, 1.0f / 128).Add(20, -1.0f)));
  const Message linear = Message().Add(1, 4).Add(
      101, Message().Add(1, std::vector<float>{0.125f}).Add(2, std::vector<float>{-1.0f}));
  const Message table =
      Message().Add(1, 2).Add(102, Message().Add(1, std::vector<float>{-1, -0.25f, 0.5f, 1}));
  net.Layer(100, {"image"}, {"conv"}, Conv(4, 3, 3, 1, Floats(Drawn(108))));
  net.Layer(160, {"conv"}, {"norm"},
            Message()
                .Add(1, 4)
                .Add(15, Floats(Drawn(4)))
                .Add(16, Floats(Drawn(4)))
                .Add(17, Floats(Drawn(4)))
                .Add(18, Floats({1, 2, 3, 4})));
  net.Layer(130, {"norm"}, {"relu"}, Message().Add(10, Message()));
  net.Layer(100, {"relu"}, {"depthwise"},
            Conv(4, 1, 3, 4, Message().Add(30, std::string(18, '\x5a')).Add(40, linear)));
  net.Layer(120, {"depthwise"}, {"pool"},
            Message().Add(10, Ints{2, 2}).Add(20, Ints{2, 2}).Add(30, Message()));
  net.Layer(230, {"pool", "pool"}, {"sum"});
  net.Layer(210, {"sum"}, {"larger"}, Message().Add(1, Ints{2, 2}).Add(5, 1));
  net.Layer(120, {"larger"}, {"mean"}, Message().Add(1, 1).Add(60, 1));
  net.Layer(
      140, {"mean"}, {"dense"},
      Message().Add(1, 4).Add(2, 3).Add(20, Message().Add(30, std::string("\x1b\xe4\x27")).Add(40, table)));
  net.Layer(175, {"dense"}, {"scores"});
  net.network().Add(100, Message().Add(1, "cat").Add(1, "dog").Add(1, "fish"));
  net.description()
      .Add(10, Message().Add(1, "scores").Add(3, Message().Add(6, Message())))
      .Add(10, Message().Add(1, "label").Add(3, Message().Add(3, Message())))
      .Add(11, "label")
      .Add(12, "scores");
  return net.Bytes(403);
}

// Shapes and indices of exact ranks.
std::vector<uint8_t> Shapes() {
  CoremlWriter net(true);
  net.Array("x", {2, 3, 4});
  net.Output("y", {3, 8});
  net.Layer(975, {"x"}, {"a", "b"}, Message().Add(1, 1).Add(3, Ints{1, 2}));
  net.Layer(980, {"b", "a"}, {"joined"}, Message().Add(1, 1));
  net.Layer(985, {"joined"}, {"turned"}, Message().Add(1, Ints{1, 0, 2}));
  net.Layer(1065, {"turned"}, {"shape"});
  net.Layer(995, {"shape"}, {"first"}, Message().Add(1, Ints{0}).Add(3, Ints{1}).Add(5, Ints{1}));
  net.Constant("rest", {1}, {-1});
  net.Layer(980, {"first", "rest"}, {"wanted"});
  net.Layer(1145, {"turned", "wanted"}, {"flat"});
  net.Layer(1015, {"flat"}, {"best", "places"}, Message().Add(1, 1).Add(2, 8));
  net.Layer(952, {"flat", "places"}, {"sorted"}, Message().Add(1, 1));
  net.Layer(880, {"best", "sorted"}, {"y"});
  return net.Bytes();
}

// h = tanh(h + x) while a count is below a limit, or until it is one, and a sequence.
std::vector<uint8_t> Loop() {
  CoremlWriter body(true), condition(true), inner(true), net(true);
  net.Array("x", {2, 1, 2, 1, 1});
  net.Output("y", {2, 1, 2, 1, 1});
  net.Constant("zero", {1}, {0});
  net.Layer(600, {"zero"}, {"count"});
  net.Layer(600, {"x"}, {"h"});
  body.Layer(880, {"h", "x"}, {"sum"});
  body.Layer(760, {"sum"}, {"bent"});
  body.Layer(600, {"bent"}, {"h"});
  body.Constant("one", {1}, {1});
  body.Layer(880, {"count", "one"}, {"next"});
  body.Layer(600, {"next"}, {"count"});
  inner.Layer(620, {}, {});
  body.Layer(815, {"count"}, {"is_last"}, Message().Add(1, 2.0f));
  body.Layer(605, {"is_last"}, {}, Message().Add(1, inner.Network()));
  condition.Layer(825, {"count"}, {"goes"}, Message().Add(2, 3.0f));
  net.Layer(615, {}, {},
            Message().Add(1, 4).Add(2, "goes").Add(3, condition.Network()).Add(4, body.Network()));
  Message weights;
  for (const int gate : {1, 2, 3, 4, 20, 21, 22, 23}) weights.Add(gate, Floats(Drawn(4)));
  const Message sigmoid = Message().Add(40, Message()), tanh = Message().Add(30, Message());
  net.Layer(420, {"h"}, {"y", "state", "cell"},
            Message()
                .Add(1, 2)
                .Add(2, 2)
                .Add(10, sigmoid)
                .Add(10, tanh)
                .Add(10, tanh)
                .Add(15, Message().Add(10, 1))
                .Add(20, weights));
  return net.Bytes();
}

// Two networks one after the other.
std::vector<uint8_t> Pipeline() {
  CoremlWriter first, second;
  first.Array("x", {3});
  first.Output("middle", {2});
  first.Layer(140, {"x"}, {"middle"}, Message().Add(1, 3).Add(2, 2).Add(20, Floats(Drawn(6))));
  second.Array("middle", {2});
  second.Output("y", {2});
  second.Layer(220, {"middle"}, {"y"}, Message().Add(1, 6));
  const Message description = Message().Add(1, ArrayFeature("x", {3})).Add(10, ArrayFeature("y", {2}));
  return CoremlWriter::BytesOf(Message()
                                   .Add(1, 1)
                                   .Add(2, description)
                                   .Add(202, Message().Add(1, first.Model()).Add(1, second.Model())));
}

}  // namespace

std::vector<SampleModel> SampleModels() {
  return {{"image", Image()}, {"loop", Loop()}, {"pipeline", Pipeline()}, {"shapes", Shapes()}};
}

}  // namespace tally::coreml
