#include <array>
#include <cstdio>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/cuda/report.h"
#include "bench/cuda/resident_work.h"
#include "bench/cuda/torch_contender.h"
#include "bench/models/random_source.h"
#include "ops/cuda/rows.h"
#include "ops/linear/attrs.h"

namespace tally::bench {
namespace {

// y [M, N] s32 = a [M, K] s8 times constant b [K, N] s8.
class ProductContender final : public Contender {
 public:
  static absl::StatusOr<std::unique_ptr<ProductContender>> Create(cuda::Device& device,
                                                                  const ProductShape& shape,
                                                                  int repetitions) {
    RandomSource random(1);
    const Interval s8 = RangeOf(Storage::kI8);
    const auto [m, k, n] = shape;
    const Interval sums = {-(int64_t{1} << 14) * k, (int64_t{1} << 14) * k};
    const TensorType types[] = {{*Shape::Create({m, k}), s8}, {*Shape::Create({k, n}), s8}};
    const TensorType y = {*Shape::Create({m, n}), sums};
    const Tensor a = RandomTensor(types[0], random), b = RandomTensor(types[1], random);
    const TensorView weights = b.view();
    const TensorView* const constants[] = {nullptr, &weights};
    const Storage storages[] = {Storage::kI8, Storage::kI8};
    const Attributes attributes = Pack(MatmulAttrs{});
    auto prepared = cuda::Prepare({.op = Opcode::kMatmul,
                                   .attributes = &attributes,
                                   .operands = types,
                                   .storages = storages,
                                   .constants = constants,
                                   .results = {&y, 1},
                                   .accumulator = sums});
    if (!prepared) return absl::UnimplementedError("no row takes this product");
    auto contender = std::make_unique<ProductContender>();
    contender->kernel_ = cuda::NameOf(prepared->work.launches.back().kernel);
    ASSIGN_OR_RETURN(contender->work_, ResidentWork::Create(device, prepared->work, {a.bytes(), b.bytes()},
                                                            {y.size_bytes()}, repetitions));
    return contender;
  }

  std::string name() const override { return "tally"; }
  std::vector<std::string> kernels() const override { return {kernel_}; }
  absl::StatusOr<std::vector<double>> Run(int iterations, Clock) override {
    std::vector<double> times;
    for (int i = 0; i < iterations; ++i) {
      ASSIGN_OR_RETURN(times.emplace_back(), work_->Run());
    }
    return times;
  }

 private:
  std::string kernel_;
  std::unique_ptr<ResidentWork> work_;
};

absl::StatusOr<Json> MeasureProduct(cuda::Device& device, const ProductShape& shape, const DevicePeak& peak,
                                    const ReportOptions& options, TorchProcess* torch) {
  ASSIGN_OR_RETURN(const auto ours, ProductContender::Create(device, shape, options.repetitions));
  std::vector<Contender*> contenders = {ours.get()};
  std::optional<TorchContender> theirs;
  if (torch != nullptr) contenders.push_back(&theirs.emplace(*torch, shape, options.repetitions));
  ASSIGN_OR_RETURN(const std::vector<Samples> samples, TakeTurns(contenders, options.turns));
  const double operations =
      2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.k) * static_cast<double>(shape.n);
  const auto tops = [&](double ms) { return 1e-9 * operations / ms; };
  Json row = {{"m", shape.m}, {"k", shape.k}, {"n", shape.n}, {"kernel", ours->kernels()[0]}};
  row["ms"] = {{"min", samples[0].min()}, {"median", samples[0].median()}};
  row["tops"] = tops(samples[0].min());
  row["of_peak"] = tops(samples[0].min()) / peak.tops;
  if (options.rated_tops > 0) row["of_rated"] = tops(samples[0].min()) / options.rated_tops;
  if (torch != nullptr) {
    row["torch_ms"] = {{"min", samples[1].min()}, {"median", samples[1].median()}};
    row["ratio"] = {{"of_minima", samples[1].min() / samples[0].min()},
                    {"of_medians", samples[1].median() / samples[0].median()}};
  }
  return row;
}

}  // namespace

std::span<const ProductShape> ReportedProducts() {
  static constexpr std::array kShapes = {
      ProductShape{1024, 1024, 1024}, ProductShape{2048, 2048, 2048}, ProductShape{4096, 4096, 4096},
      ProductShape{8192, 8192, 8192}, ProductShape{128, 768, 768},    ProductShape{128, 768, 3072},
      ProductShape{128, 3072, 768},   ProductShape{8192, 768, 3072},  ProductShape{8192, 3072, 768},
      ProductShape{32, 4096, 4096},   ProductShape{512, 4096, 11008},
  };
  return kShapes;
}

absl::StatusOr<Json> MeasureProducts(cuda::Device& device, std::span<const ProductShape> shapes,
                                     const DevicePeak& peak, const ReportOptions& options) {
  const auto torch = TorchProcess::Start(options.torch);
  if (torch.ok()) {
    std::printf("\nbeside torch._int_mm of %s\n", (*torch)->version().c_str());
  } else {
    std::printf("\ntorch._int_mm skipped: %s\n", std::string(torch.status().message()).c_str());
  }
  std::printf("%-22s %10s %10s %9s %8s %10s %7s  kernel\n", "product m x k x n", "min ms", "median ms",
              "TOPS", "of peak", "torch ms", "ratio");
  Json rows = Json::array();
  for (const ProductShape& shape : shapes) {
    ASSIGN_OR_RETURN(const Json row,
                     MeasureProduct(device, shape, peak, options, torch.ok() ? torch->get() : nullptr));
    std::printf("%-22s %10.4f %10.4f %9.2f %7.1f%% %10s %7s  %s\n",
                absl::StrCat(shape.m, "x", shape.k, "x", shape.n).c_str(), row["ms"]["min"].get<double>(),
                row["ms"]["median"].get<double>(), row["tops"].get<double>(),
                100 * row["of_peak"].get<double>(),
                torch.ok() ? absl::StrCat(row["torch_ms"]["min"].get<double>()).c_str() : "-",
                torch.ok() ? absl::StrCat(row["ratio"]["of_minima"].get<double>()).c_str() : "-",
                row["kernel"].get<std::string>().c_str());
    std::fflush(stdout);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace tally::bench
