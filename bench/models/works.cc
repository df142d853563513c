#include "bench/models/works.h"

#include <array>
#include <functional>

#include "absl/status/status.h"
#include "base/strings.h"
#include "bench/models/lstm.h"
#include "bench/models/moments.h"
#include "bench/models/residual_networks.h"
#include "bench/models/yolo_head.h"

namespace tally::bench {
namespace {

Work FromCnn(const Cnn& net, bool network) {
  // A single layer has its edges in the layout of kernels: what is measured is the layer.
  Work work{.name = net.name(), .network = network, .module = CnnToModule(net, !network)};
  for (const CnnLayer& layer : net.layers()) {
    if (layer.kind == CnnLayer::Kind::kConv) work.linear.push_back(layer.shape);
    if (layer.kind == CnnLayer::Kind::kDense) {
      work.linear.push_back(
          MatmulShape{.m = net.batch(), .k = layer.shape.in_channels, .n = layer.shape.out_channels});
    }
  }
  work.topology = net;
  return work;
}

Work FromBert(const BertLayer& bert) {
  Work work{.name = bert.name, .network = true, .module = BertToModule(bert)};
  const int64_t rows = bert.rows(), heads = bert.batch * bert.heads;
  for (int i = 0; i < 3; ++i)
    work.linear.push_back(MatmulShape{.m = rows, .k = bert.hidden, .n = bert.hidden});
  work.linear.push_back(MatmulShape{
      .batch = heads, .m = bert.sequence, .k = bert.head_size(), .n = bert.sequence, .constant_b = false});
  work.linear.push_back(MatmulShape{
      .batch = heads, .m = bert.sequence, .k = bert.sequence, .n = bert.head_size(), .constant_b = false});
  work.linear.push_back(MatmulShape{.m = rows, .k = bert.hidden, .n = bert.hidden});
  work.linear.push_back(MatmulShape{.m = rows, .k = bert.hidden, .n = bert.inner});
  work.linear.push_back(MatmulShape{.m = rows, .k = bert.inner, .n = bert.hidden});
  work.topology = bert;
  return work;
}

Work FromYolo(const ModelOptions& options) {
  YoloHead head = BuildYoloHead(options);
  Work work{.name = "yolo_head", .network = true, .module = std::move(head.module)};
  work.linear.assign(head.convolutions.begin(), head.convolutions.end());
  return work;
}

Work FromLstm(const ModelOptions& options) {
  LstmLayer lstm = BuildLstm(options);
  return {.name = "lstm",
          .network = true,
          .module = std::move(lstm.module),
          .multiply_accumulates = lstm.multiply_accumulates};
}

struct ConvRow {
  WorkInfo info;
  int64_t in_channels, out_channels, kernel, stride, size;
  bool depthwise = false;
};

// The layers for which peers are usually quoted (bench/README.md).
constexpr std::array kConvolutions = {
    ConvRow{{"conv3x3_64_56", false, "3x3 64 -> 64, 56x56"}, 64, 64, 3, 1, 56},
    ConvRow{{"conv1x1_256_64_56", false, "1x1 256 -> 64, 56x56"}, 256, 64, 1, 1, 56},
    ConvRow{{"conv1x1_64_256_56", false, "1x1 64 -> 256, 56x56"}, 64, 256, 1, 1, 56},
    ConvRow{{"conv3x3_128_28", false, "3x3 128 -> 128, 28x28"}, 128, 128, 3, 1, 28},
    ConvRow{{"conv3x3_256_14", false, "3x3 256 -> 256, 14x14"}, 256, 256, 3, 1, 14},
    ConvRow{{"conv3x3_512_7", false, "3x3 512 -> 512, 7x7"}, 512, 512, 3, 1, 7},
    ConvRow{{"conv1x1_1024_2048_s2_14", false, "1x1 stride 2 1024 -> 2048, 14x14"}, 1024, 2048, 1, 2, 14},
    ConvRow{{"conv7x7_3_64_s2_224", false, "7x7 stride 2 3 -> 64, 224x224"}, 3, 64, 7, 2, 224},
    ConvRow{{"depthwise3x3_32_112", false, "depthwise 3x3, 32 channels, 112x112"}, 32, 32, 3, 1, 112, true},
    ConvRow{{"depthwise3x3_144_56", false, "depthwise 3x3, 144 channels, 56x56"}, 144, 144, 3, 1, 56, true},
    ConvRow{{"depthwise3x3_576_14", false, "depthwise 3x3, 576 channels, 14x14"}, 576, 576, 3, 1, 14, true},
    ConvRow{{"depthwise3x3_960_7", false, "depthwise 3x3, 960 channels, 7x7"}, 960, 960, 3, 1, 7, true},
};

struct MatmulRow {
  WorkInfo info;
  int64_t m, k, n;
};

constexpr std::array kMatmuls = {
    MatmulRow{{"matmul_128x768x768", false, "128x768 times 768x768"}, 128, 768, 768},
    MatmulRow{{"matmul_128x768x3072", false, "128x768 times 768x3072"}, 128, 768, 3072},
    MatmulRow{{"matmul_1024", false, "1024x1024 times 1024x1024"}, 1024, 1024, 1024},
    MatmulRow{{"matmul_4096", false, "4096x4096 times 4096x4096"}, 4096, 4096, 4096},
    MatmulRow{{"matmul_1x4096x4096", false, "1x4096 times 4096x4096"}, 1, 4096, 4096},
};

constexpr std::array kNetworks = {
    WorkInfo{"resnet50", true, "ResNet-50 v1, 224x224"},
    WorkInfo{"mobilenet_v2", true, "MobileNetV2 1.0, 224x224"},
    WorkInfo{"bert_layer", true, "BERT-base encoder layer, sequence 128"},
    WorkInfo{"yolo_head", true, "YOLO-like head with NMS, 416x416"},
    WorkInfo{"lstm", true, "LSTM, 512 units, 32 steps"},
};

Work FromRow(const ConvRow& row, const ModelOptions& options) {
  const int64_t in = options.Scaled(row.in_channels, 3), size = options.Scaled(row.size, row.kernel);
  const int64_t out = row.depthwise ? in : options.Scaled(row.out_channels, 4);
  Cnn net(std::string(row.info.name), 1, options.batch, {in, size, size});
  net.Conv(0, {.out_channels = out,
               .kernel = row.kernel,
               .stride = row.stride,
               .pad = row.kernel / 2,
               .groups = row.depthwise ? in : 1,
               .activation = Activation::kRelu});
  return FromCnn(net, false);
}

Work FromRow(const MatmulRow& row, const ModelOptions& options) {
  const int64_t m = options.Scaled(row.m), k = options.Scaled(row.k, 4), n = options.Scaled(row.n, 4);
  RandomSource random(1);
  MatmulLayer layer{.rows = m * options.batch,
                    .dense = RandomDense(k, n, 0, 0, kInputRms, 127.0 / 4, random)};
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", TypeOf({layer.rows, k}, {-128, 127}));
  b.Result("y", WriteDense(b, x, layer.dense, kSigned8));
  Work work{.name = std::string(row.info.name), .module = std::move(b).Build()};
  work.linear.push_back(MatmulShape{.m = layer.rows, .k = k, .n = n});
  work.topology = std::move(layer);
  return work;
}

absl::StatusOr<Work> Build(std::string_view name, const ModelOptions& options) {
  if (name == "resnet50") return FromCnn(ResNet50(options), true);
  if (name == "mobilenet_v2") return FromCnn(MobileNetV2(options), true);
  if (name == "bert_layer") return FromBert(BertBaseLayer(options));
  if (name == "yolo_head") return FromYolo(options);
  if (name == "lstm") return FromLstm(options);
  for (const ConvRow& row : kConvolutions) {
    if (row.info.name == name) return FromRow(row, options);
  }
  for (const MatmulRow& row : kMatmuls) {
    if (row.info.name == name) return FromRow(row, options);
  }
  return absl::NotFoundError(absl::StrCat("no work is called '", ToAbsl(name), "'"));
}

}  // namespace

std::span<const WorkInfo> AllWorks() {
  static const std::vector<WorkInfo> works = [] {
    std::vector<WorkInfo> all(kNetworks.begin(), kNetworks.end());
    for (const ConvRow& row : kConvolutions) all.push_back(row.info);
    for (const MatmulRow& row : kMatmuls) all.push_back(row.info);
    return all;
  }();
  return works;
}

absl::StatusOr<Work> BuildWork(std::string_view name, const ModelOptions& options) {
  absl::StatusOr<Work> work = Build(name, options);
  if (!work.ok()) return work;
  for (const auto& shape : work->linear) {
    work->multiply_accumulates += std::visit([](const auto& s) { return s.multiply_accumulates(); }, shape);
  }
  return work;
}

}  // namespace tally::bench
