#include "frontends/onnx/testing/transformers.h"

#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;
using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Shape;

constexpr int64_t kWidth = kFeatures / kHeads, kInner = 2 * kFeatures;
constexpr float kLeast = std::numeric_limits<float>::lowest();

// Adds nodes whose results have names of their own.
class Writer {
 public:
  explicit Writer(const TransformerStyle& style)
      : opset_(style.opset), is_fused_(style.is_fused), model_(style.opset) {}

  ModelBuilder& model() { return model_; }
  ModelBuilder Take() { return std::move(model_); }

  std::string Op(const std::string& op, const std::vector<std::string>& inputs) {
    last_ = "/" + op + "_" + std::to_string(next_++);
    builder_ = model_.Node(op, inputs, {last_});
    return last_;
  }
  std::string OpInt(const std::string& op, const std::vector<std::string>& inputs, const std::string& name,
                    int64_t value) {
    Op(op, inputs);
    builder_.Int(name, value);
    return last_;
  }
  std::string OpInts(const std::string& op, const std::vector<std::string>& inputs, const std::string& name,
                     const std::vector<int64_t>& values) {
    Op(op, inputs);
    builder_.Ints(name, values);
    return last_;
  }
  std::string Cast(const std::string& x, int type) { return OpInt("Cast", {x}, "to", type); }

  NodeBuilder& Last() { return builder_; }

  std::string Number(float number) { return Floats({{}, {number}}); }
  std::string Floats(const FloatTensor& tensor) {
    const std::string name = "constant_" + std::to_string(next_++);
    model_.Weight(name, tensor);
    return name;
  }
  std::string Integers(const Int64Tensor& tensor) {
    const std::string name = "constant_" + std::to_string(next_++);
    model_.Integers(name, tensor);
    return name;
  }
  std::string List(const std::vector<int64_t>& list) { return Integers({{std::ssize(list)}, list}); }

  // Drawn from a normal distribution.
  FloatTensor Draw(const Shape& shape, double deviation, double mean = 0) {
    FloatTensor tensor{shape, {}};
    std::normal_distribution<double> distribution(mean, deviation);
    for (int64_t i = 0; i < quant::NumElements(shape); ++i) {
      tensor.data.push_back(static_cast<float>(distribution(random_)));
    }
    return tensor;
  }
  std::string Drawn(const Shape& shape, double deviation, double mean = 0) {
    return Floats(Draw(shape, deviation, mean));
  }

  // Its axes became an input in opset 13.
  std::string Unsqueeze(const std::string& x, int64_t axis) {
    if (opset_ >= 13) return Op("Unsqueeze", {x, List({axis})});
    return OpInts("Unsqueeze", {x}, "axes", {axis});
  }
  std::string Softmax(const std::string& x) { return OpInt("Softmax", {x}, "axis", opset_ >= 13 ? -1 : 3); }

  // Dimension `axis` of x as a list, computed as exporters do.
  std::string Dimension(const std::string& x, int64_t axis) {
    const std::string shape = Op("Shape", {x});
    return Unsqueeze(OpInt("Gather", {shape, Integers({{}, {axis}})}, "axis", 0), 0);
  }

  // x W + b, where W holds its columns.
  std::string Linear(const std::string& x, int64_t in, int64_t out) {
    const std::string weight = Drawn({in, out}, 1 / std::sqrt(static_cast<double>(in)));
    return Op("Add", {Drawn({out}, 0.1), Op("MatMul", {x, weight})});
  }

  std::string LayerNorm(const std::string& x) {
    const std::string scale = Drawn({kFeatures}, 0.2, 1), bias = Drawn({kFeatures}, 0.2);
    if (opset_ >= 17) return OpInt("LayerNormalization", {x, scale, bias}, "axis", -1);
    const std::string centred = Op("Sub", {x, OpInts("ReduceMean", {x}, "axes", {-1})});
    const std::string squares = Op("Pow", {centred, Number(2)});
    const std::string variance = OpInts("ReduceMean", {squares}, "axes", {-1});
    const std::string deviation = Op("Sqrt", {Op("Add", {variance, Number(1e-5f)})});
    return Op("Add", {Op("Mul", {Op("Div", {centred, deviation}), scale}), bias});
  }

  std::string Gelu(const std::string& x) {
    const std::string erf = Op("Erf", {Op("Div", {x, Number(std::sqrt(2.0f))})});
    return Op("Mul", {Op("Mul", {x, Op("Add", {erf, Number(1)})}), Number(0.5f)});
  }
  std::string GeluTanh(const std::string& x) {
    const std::string cubic = Op("Mul", {Op("Pow", {x, Number(3)}), Number(0.044715f)});
    const std::string inner = Op("Mul", {Op("Add", {x, cubic}), Number(0.7978845608f)});
    const std::string gate = Op("Add", {Op("Tanh", {inner}), Number(1)});
    return Op("Mul", {Op("Mul", {x, Number(0.5f)}), gate});
  }

  // [1, S, H * W] -> [1, H, S, W], with the shape computed
  std::string SplitHeads(const std::string& x) {
    const std::string shape =
        OpInt("Concat", {Dimension(x, 0), Dimension(x, 1), List({kHeads}), List({kWidth})}, "axis", 0);
    return OpInts("Transpose", {Op("Reshape", {x, shape})}, "perm", {0, 2, 1, 3});
  }

  // The flags of the mask, in the shape of scores, as floats that are added, or as a choice.
  std::string Hidden(const std::string& scores, const std::string& mask, const std::string& style) {
    if (style == "none") return scores;
    if (style == "written") return Op("Add", {scores, written_mask_});
    const std::string wide = Unsqueeze(Unsqueeze(mask, 1), 2);
    if (style == "fill") {
      const std::string equal = Op("Equal", {wide, Integers({{}, {0}})});
      const std::string shape = Op("Shape", {scores});
      const std::string expanded = Op("Expand", {equal, shape});
      return Op("Where", {expanded, Number(-std::numeric_limits<float>::infinity()), scores});
    }
    if (style == "sum") {
      const std::string flags = Op("Expand", {Cast(wide, TensorProto::BOOL), Op("Shape", {scores})});
      return Chosen(scores, flags);
    }
    const std::string open = Op("Sub", {Number(1), Cast(wide, TensorProto::FLOAT)});
    return Op("Add", {scores, Op("Mul", {open, Number(style == "least" ? kLeast : -10000.0f)})});
  }

  // scores + where(flags, 0, -infinity)
  std::string Chosen(const std::string& scores, const std::string& flags) {
    return Op("Add",
              {scores, Op("Where", {flags, Number(0), Number(-std::numeric_limits<float>::infinity())})});
  }

  std::string Attention(const std::string& x, const std::string& mask, const std::string& style,
                        bool is_causal) {
    if (is_fused_) return FusedAttention(x, mask, is_causal);
    const std::string q = Turned(SplitHeads(Linear(x, kFeatures, kFeatures)));
    const std::string k = Turned(SplitHeads(Linear(x, kFeatures, kFeatures)));
    const std::string v = SplitHeads(Linear(x, kFeatures, kFeatures));
    const std::string product = Op("MatMul", {q, OpInts("Transpose", {k}, "perm", {0, 1, 3, 2})});
    std::string scores = Op("Div", {product, Number(std::sqrt(static_cast<float>(kWidth)))});
    if (is_causal && style == "sum") {
      scores = Chosen(scores, Triangle(scores));
    } else if (is_causal) {
      scores = Op("Where", {Triangle(scores), scores, Number(kLeast)});
    }
    const std::string weights = Softmax(Hidden(scores, mask, style));
    const std::string mixed = OpInts("Transpose", {Op("MatMul", {weights, v})}, "perm", {0, 2, 1, 3});
    const std::string shape =
        OpInt("Concat", {Dimension(mixed, 0), Dimension(mixed, 1), List({kFeatures})}, "axis", 0);
    return Linear(Op("Reshape", {mixed, shape}), kFeatures, kFeatures);
  }

  // The same weights, side by side.
  std::string FusedAttention(const std::string& x, const std::string& mask, bool is_causal) {
    FloatTensor weight{{kFeatures, 3 * kFeatures}, std::vector<float>(3 * kFeatures * kFeatures)};
    FloatTensor bias{{3 * kFeatures}, {}};
    for (int64_t part = 0; part < 3; ++part) {
      const FloatTensor w = Draw({kFeatures, kFeatures}, 1 / std::sqrt(static_cast<double>(kFeatures)));
      for (int64_t i = 0; i < kFeatures * kFeatures; ++i) {
        const int64_t place = i / kFeatures * 3 * kFeatures + part * kFeatures + i % kFeatures;
        weight.data[static_cast<size_t>(place)] = w.data[static_cast<size_t>(i)];
      }
      const FloatTensor b = Draw({kFeatures}, 0.1);
      bias.data.insert(bias.data.end(), b.data.begin(), b.data.end());
    }
    const std::string mixed =
        Op("Attention", {x, Floats(weight), Floats(bias), Cast(mask, TensorProto::INT32)});
    builder_.Domain("com.microsoft").Int("num_heads", kHeads).Int("unidirectional", is_causal ? 1 : 0);
    return Linear(mixed, kFeatures, kFeatures);
  }

  // The slice of a stored triangle that the scores need.
  std::string Triangle(const std::string& scores) {
    constexpr int64_t kLongest = 20;
    Int64Tensor triangle{{1, 1, kLongest, kLongest}, {}};
    for (int64_t i = 0; i < kLongest * kLongest; ++i) triangle.data.push_back(i % kLongest <= i / kLongest);
    const std::string steps = Dimension(scores, 3);
    std::string part = Integers(triangle);
    for (const int64_t axis : {2, 3}) part = Op("Slice", {part, List({0}), steps, List({axis}), List({1})});
    return Cast(part, TensorProto::BOOL);
  }

  std::string RmsNorm(const std::string& x) {
    const std::string mean = OpInts("ReduceMean", {Op("Pow", {x, Number(2)})}, "axes", {-1});
    const std::string root = Op("Sqrt", {Op("Add", {mean, Number(1e-6f)})});
    return Op("Mul", {Drawn({kFeatures}, 0.2, 1), Op("Mul", {x, Op("Div", {Number(1), root})})});
  }

  // From here on queries and keys [1, H, S, W] are turned by angles that their steps give: x cos + (-right,
  // left) sin.
  void TurnBy(const std::string& positions) {
    FloatTensor frequencies{{kWidth / 2, 1}, {}};
    for (int64_t i = 0; i < kWidth / 2; ++i) {
      frequencies.data.push_back(std::pow(10.0f, -static_cast<float>(i)));
    }
    const std::string steps = Cast(Unsqueeze(positions, 1), TensorProto::FLOAT);  // [1, 1, S]
    const std::string angles =
        OpInts("Transpose", {Op("MatMul", {Floats(frequencies), steps})}, "perm", {0, 2, 1});
    const std::string all = Unsqueeze(OpInt("Concat", {angles, angles}, "axis", -1), 1);
    cosine_ = Op("Cos", {all});
    sine_ = Op("Sin", {all});
  }
  std::string Turned(const std::string& x) {
    if (cosine_.empty()) return x;
    const std::string half = List({kWidth / 2}), last = List({3}), one = List({1});
    const std::string left = Op("Slice", {x, List({0}), half, last, one});
    const std::string right = Op("Slice", {x, half, List({std::numeric_limits<int64_t>::max()}), last, one});
    const std::string across = OpInt("Concat", {Op("Neg", {right}), left}, "axis", -1);
    return Op("Add", {Op("Mul", {x, cosine_}), Op("Mul", {across, sine_})});
  }

  // The elements that the triangle or the mask hides, as numbers: the mask is written into the triangle at
  // all its places.
  std::string WrittenMask(const std::string& mask) {
    const std::string shape = List({1, 1, kSteps, kSteps});
    model_.Node("ConstantOfShape", {shape}, {"full"}).Tensor("value", FloatTensor{{1}, {kLeast}});
    const std::string triangle = Op("Trilu", {"full", Integers({{}, {1}})});
    const std::string flags = Cast(Unsqueeze(Unsqueeze(mask, 1), 2), TensorProto::FLOAT);
    const std::string sum = Op("Add", {triangle, flags});
    const std::string is_zero = Op("Equal", {sum, Number(0)});
    const std::string updates = Op("Where", {is_zero, Number(kLeast), triangle});
    Int64Tensor places{{1, 1, kSteps, kSteps, 4}, {}};
    for (int64_t i = 0; i < kSteps * kSteps; ++i) {
      for (const int64_t place : {int64_t{0}, int64_t{0}, i / kSteps, i % kSteps})
        places.data.push_back(place);
    }
    return Op("ScatterND", {triangle, Integers(places), updates});
  }
  std::string RotaryAttention(const std::string& x, const std::string& written_mask) {
    written_mask_ = written_mask;
    return Attention(x, "", "written", /*is_causal=*/false);
  }

  // Positions 0, 1, .. as many as there are ids.
  std::string Positions(const std::string& ids) {
    const std::string steps = OpInt("Gather", {Op("Shape", {ids}), Integers({{}, {1}})}, "axis", 0);
    return Unsqueeze(Op("Range", {Integers({{}, {0}}), steps, Integers({{}, {1}})}), 0);
  }

 private:
  int64_t opset_;
  bool is_fused_;
  ModelBuilder model_;
  NodeBuilder builder_{nullptr};
  std::string last_, cosine_, sine_, written_mask_;
  int next_ = 0;
  std::mt19937 random_{7};
};

}  // namespace

ModelBuilder Encoder(const TransformerStyle& style) {
  Writer w(style);
  for (const char* name : {"input_ids", "attention_mask", "token_type_ids"}) {
    w.model().IntegerInput(name, {1, kSteps});
  }
  const std::string words = w.Op("Gather", {w.Drawn({kWords, kFeatures}, 1), "input_ids"});
  const std::string types = w.Op("Gather", {w.Drawn({2, kFeatures}, 0.5), "token_type_ids"});
  const std::string places = w.Op("Gather", {w.Drawn({20, kFeatures}, 0.5), w.Positions("input_ids")});
  std::string x = w.LayerNorm(w.Op("Add", {w.Op("Add", {words, types}), places}));
  for (int layer = 0; layer < 2; ++layer) {
    x = w.LayerNorm(w.Op("Add", {w.Attention(x, "attention_mask", style.mask, /*is_causal=*/false), x}));
    const std::string inner = w.Gelu(w.Linear(x, kFeatures, kInner));
    x = w.LayerNorm(w.Op("Add", {w.Linear(inner, kInner, kFeatures), x}));
  }
  w.model().Node("Identity", {x}, {"last_hidden_state"});
  const std::string first = w.OpInt("Gather", {x, w.Integers({{}, {0}})}, "axis", 1);
  const std::string dense =
      w.OpInt("Gemm", {first, w.Drawn({kFeatures, kFeatures}, 0.2), w.Drawn({kFeatures}, 0.1)}, "transB", 1);
  w.model().Node("Tanh", {dense}, {"pooler_output"});
  w.model().Output("last_hidden_state").Output("pooler_output");
  return w.Take();
}

ModelBuilder CountingEncoder(const TransformerStyle& style) {
  Writer w(style);
  w.model().IntegerInput("input_ids", {1, kSteps}).IntegerInput("attention_mask", {1, kSteps});
  const std::string padding = w.Integers({{}, {1}});
  const std::string words = w.Op("Cast", {w.Op("Not", {w.Op("Equal", {"input_ids", padding})})});
  w.Last().Int("to", TensorProto::INT32);
  const std::string counts = w.Op("Mul", {w.Op("CumSum", {words, w.Integers({{}, {1}})}), words});
  const std::string positions = w.Op("Add", {w.Cast(counts, TensorProto::INT64), padding});
  std::string x = w.Op("Add", {w.Op("Gather", {w.Drawn({kWords, kFeatures}, 1), "input_ids"}),
                               w.Op("Gather", {w.Drawn({20, kFeatures}, 0.5), positions})});
  x = w.LayerNorm(x);
  x = w.LayerNorm(w.Op("Add", {w.Attention(x, "attention_mask", style.mask, /*is_causal=*/false), x}));
  w.model().Node("Identity", {x}, {"last_hidden_state"});
  w.model().Output("last_hidden_state");
  return w.Take();
}

ModelBuilder RotaryDecoder(const TransformerStyle& style) {
  Writer w(style);
  w.model().IntegerInput("input_ids", {1, kSteps}).IntegerInput("attention_mask", {1, kSteps});
  std::string x = w.Op("Gather", {w.Drawn({kWords, kFeatures}, 0.5), "input_ids"});
  w.TurnBy(w.Positions("input_ids"));
  const std::string mask = w.WrittenMask("attention_mask");
  for (int layer = 0; layer < 2; ++layer) {
    x = w.Op("Add", {x, w.RotaryAttention(w.RmsNorm(x), mask)});
    const std::string normed = w.RmsNorm(x);
    const std::string gate = w.Linear(normed, kFeatures, kInner);
    const std::string open = w.Op("Mul", {gate, w.Op("Sigmoid", {gate})});
    x = w.Op("Add",
             {x, w.Linear(w.Op("Mul", {open, w.Linear(normed, kFeatures, kInner)}), kInner, kFeatures)});
  }
  w.model().Node("MatMul", {w.RmsNorm(x), w.Drawn({kFeatures, kWords}, 0.3)}, {"logits"});
  w.model().Output("logits");
  return w.Take();
}

ModelBuilder Decoder(const TransformerStyle& style) {
  Writer w(style);
  w.model().IntegerInput("input_ids", {1, kSteps}).IntegerInput("attention_mask", {1, kSteps});
  const std::string table = w.Drawn({kWords, kFeatures}, 0.5);
  const std::string words = w.Op("Gather", {table, "input_ids"});
  std::string x =
      w.Op("Add", {words, w.Op("Gather", {w.Drawn({20, kFeatures}, 0.3), w.Positions("input_ids")})});
  for (int layer = 0; layer < 2; ++layer) {
    x = w.Op("Add", {w.Attention(w.LayerNorm(x), "attention_mask", style.mask, /*is_causal=*/true), x});
    const std::string inner = w.GeluTanh(w.Linear(w.LayerNorm(x), kFeatures, kInner));
    x = w.Op("Add", {x, w.Linear(inner, kInner, kFeatures)});
  }
  const std::string tied = w.OpInts("Transpose", {table}, "perm", {1, 0});
  w.model().Node("MatMul", {w.LayerNorm(x), tied}, {"logits"});
  w.model().Output("logits");
  return w.Take();
}

}  // namespace tally::onnx
