#include "bench/peers/onednn_contender.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "absl/status/status.h"
#include "base/strings.h"
#include "bench/harness/stopwatch.h"
#include "bench/models/random_source.h"

// A function of the OpenMP runtime that Debian's oneDNN is linked with.
extern "C" void omp_set_num_threads(int threads);

namespace tally::bench {
namespace {

using dnnl::memory;

struct Step {
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;
  std::string kernel;
};

// The highest level of `cpu`, by the name that oneDNN has for it.
dnnl::cpu_isa IsaOf(CpuFlags cpu) {
  if (cpu.Has(CpuFlag::kAmxInt8)) return dnnl::cpu_isa::all;
  if (cpu.Has(CpuFlag::kAvx512Vnni)) return dnnl::cpu_isa::avx512_core_vnni;
  if (cpu.Has(CpuFlag::kAvx512)) return dnnl::cpu_isa::avx512_core;
  if (cpu.Has(CpuFlag::kAvxVnni)) return dnnl::cpu_isa::avx2_vnni;
  return cpu.Has(CpuFlag::kAvx2) ? dnnl::cpu_isa::avx2 : dnnl::cpu_isa::sse41;
}

class OneDnn final : public Contender {
 public:
  explicit OneDnn(const OneDnnOptions& options)
      : options_(options),
        type_(options.signed_activations ? memory::data_type::s8 : memory::data_type::u8) {}

  void Build(const Work& work) {
    for (const auto& shape : work.linear) {
      if (const auto* conv = std::get_if<ConvShape>(&shape)) {
        steps_.push_back(MakeConvolution(*conv));
      } else {
        steps_.push_back(MakeFastestProduct(std::get<MatmulShape>(shape)));
      }
    }
  }

  std::string name() const override {
    return absl::StrCat("onednn ", OneDnnVersion(), options_.signed_activations ? " s8s8" : " u8s8");
  }

  std::vector<std::string> kernels() const override {
    std::vector<std::string> names;
    for (const Step& step : steps_) names.push_back(step.kernel);
    return names;
  }

  absl::StatusOr<std::vector<double>> Run(int iterations, Clock clock) override {
    std::vector<double> times;
    times.reserve(static_cast<size_t>(iterations));
    for (int i = 0; i < iterations; ++i) {
      const Stopwatch watch(clock);
      for (const Step& step : steps_) step.primitive.execute(stream_, step.arguments);
      stream_.wait();
      times.push_back(watch.Milliseconds());
    }
    return times;
  }

 private:
  static memory::desc Any(const memory::dims& dims, memory::data_type type) {
    return {dims, type, memory::format_tag::any};
  }

  dnnl::primitive_attr Scales(int64_t channels, int axis) {
    dnnl::primitive_attr attr;
    attr.set_output_scales(channels == 1 ? 0 : 1 << axis,
                           std::vector<float>(static_cast<size_t>(channels), 0.001f));
    return attr;
  }

  // Bytes of an activation. Neighbours share them in turn, as tensors of a network share an arena, so that
  // what a step reads is as warm as what the step before it wrote.
  memory Activation(const memory::desc& desc, size_t index) {
    std::vector<uint8_t>& buffer = activations_[index % std::size(activations_)];
    // Room beforehand: a buffer that grows would leave earlier steps behind.
    if (buffer.empty()) buffer.assign(kActivationBytes, 1);
    if (desc.get_size() > kActivationBytes) return memory(desc, engine_);
    return memory(desc, engine_, buffer.data());
  }

  memory Packed(const memory::dims& dims, memory::format_tag plain, const memory::desc& packed) {
    memory from({dims, memory::data_type::s8, plain}, engine_);
    RandomSource random(1);
    auto* weights = static_cast<int8_t*>(from.get_data_handle());
    for (size_t i = 0; i < from.get_desc().get_size(); ++i) weights[i] = random.Weight();
    memory to(packed, engine_);
    dnnl::reorder(from, to).execute(stream_, from, to);
    stream_.wait();
    return to;
  }

  memory Bias(const memory::desc& desc) {
    memory bias(desc, engine_);
    std::memset(bias.get_data_handle(), 0, desc.get_size());
    return bias;
  }

  Step MakeConvolution(const ConvShape& s) {
    const memory::dims x = {s.batch, s.in_channels, s.height, s.width};
    const memory::dims y = {s.batch, s.out_channels, s.out_height(), s.out_width()};
    const bool grouped = s.groups > 1;
    memory::dims w = {s.out_channels, s.in_channels, s.kernel, s.kernel};
    if (grouped) w = {s.groups, s.out_channels / s.groups, s.in_channels_of_group(), s.kernel, s.kernel};
    const dnnl::convolution_forward::primitive_desc desc({dnnl::prop_kind::forward_inference,
                                                          dnnl::algorithm::convolution_direct,
                                                          Any(x, type_),
                                                          Any(w, memory::data_type::s8),
                                                          Any({s.out_channels}, memory::data_type::s32),
                                                          Any(y, type_),
                                                          {s.stride, s.stride},
                                                          {s.pad, s.pad},
                                                          {s.pad, s.pad}},
                                                         Scales(s.out_channels, 1), engine_);
    const auto plain = grouped ? memory::format_tag::goihw : memory::format_tag::oihw;
    const size_t i = steps_.size();
    return {dnnl::convolution_forward(desc),
            {{DNNL_ARG_SRC, Activation(desc.src_desc(), i)},
             {DNNL_ARG_WEIGHTS, Packed(w, plain, desc.weights_desc())},
             {DNNL_ARG_BIAS, Bias(desc.bias_desc())},
             {DNNL_ARG_DST, Activation(desc.dst_desc(), i + 1)}},
            desc.impl_info_str()};
  }

  Step MakeMatmul(const MatmulShape& s) {
    const bool batched = s.batch > 1;
    const auto dims = [&](int64_t rows, int64_t columns) {
      return batched ? memory::dims{s.batch, rows, columns} : memory::dims{rows, columns};
    };
    const auto type_b = memory::data_type::s8;  // for a computed factor too: oneDNN has no other
    // A computed factor is as the step before it wrote it; weights may be packed.
    const memory::desc b = s.constant_b
                               ? Any(dims(s.k, s.n), type_b)
                               : memory::desc(dims(s.k, s.n), type_b,
                                              batched ? memory::format_tag::abc : memory::format_tag::ab);
    const dnnl::matmul::primitive_desc desc({Any(dims(s.m, s.k), type_), b, Any(dims(s.m, s.n), type_)},
                                            Scales(s.constant_b ? s.n : 1, batched ? 2 : 1), engine_);
    const auto plain = batched ? memory::format_tag::abc : memory::format_tag::ab;
    const size_t i = steps_.size();
    return {dnnl::matmul(desc),
            {{DNNL_ARG_SRC, Activation(desc.src_desc(), i)},
             {DNNL_ARG_WEIGHTS, s.constant_b ? Packed(dims(s.k, s.n), plain, desc.weights_desc())
                                             : Activation(desc.weights_desc(), i + 2)},
             {DNNL_ARG_DST, Activation(desc.dst_desc(), i + 1)}},
            absl::StrCat("matmul ", desc.impl_info_str())};
  }

  Step MakeInnerProduct(const MatmulShape& s) {
    const dnnl::inner_product_forward::primitive_desc desc(
        {dnnl::prop_kind::forward_inference, Any({s.m, s.k}, type_), Any({s.n, s.k}, memory::data_type::s8),
         Any({s.n}, memory::data_type::s32), Any({s.m, s.n}, type_)},
        Scales(s.n, 1), engine_);
    const size_t i = steps_.size();
    return {dnnl::inner_product_forward(desc),
            {{DNNL_ARG_SRC, Activation(desc.src_desc(), i)},
             {DNNL_ARG_WEIGHTS, Packed({s.n, s.k}, memory::format_tag::oi, desc.weights_desc())},
             {DNNL_ARG_BIAS, Bias(desc.bias_desc())},
             {DNNL_ARG_DST, Activation(desc.dst_desc(), i + 1)}},
            absl::StrCat("inner_product ", desc.impl_info_str())};
  }

  double BestOf(const Step& step) {
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < 5; ++i) {
      const Stopwatch watch;
      step.primitive.execute(stream_, step.arguments);
      stream_.wait();
      best = std::min(best, watch.Milliseconds());
    }
    return best;
  }

  // oneDNN has two primitives for a product with weights; neither is always the faster.
  Step MakeFastestProduct(const MatmulShape& s) {
    Step product = MakeMatmul(s);
    if (!s.constant_b || s.batch > 1) return product;
    Step inner = MakeInnerProduct(s);
    return BestOf(inner) < BestOf(product) ? inner : product;
  }

  static constexpr size_t kActivationBytes = size_t{8} << 20;

  OneDnnOptions options_;
  memory::data_type type_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::vector<uint8_t> activations_[3];
  std::vector<Step> steps_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Contender>> MakeOneDnnContender(const OneDnnOptions& options,
                                                               const Work& work) {
  if (work.linear.empty()) return absl::UnimplementedError("oneDNN has no part of this work");
  try {
    // oneDNN takes the limit once, before its first primitive.
    static const auto limited = dnnl::set_max_cpu_isa(IsaOf(options.cpu));
    (void)limited;
    omp_set_num_threads(options.threads);
    auto contender = std::make_unique<OneDnn>(options);
    contender->Build(work);
    return contender;
  } catch (const dnnl::error& error) {
    return absl::UnimplementedError(absl::StrCat("oneDNN: ", error.what()));
  }
}

std::string OneDnnVersion() {
  const dnnl_version_t* version = dnnl_version();
  return absl::StrCat(version->major, ".", version->minor, ".", version->patch);
}

}  // namespace tally::bench
