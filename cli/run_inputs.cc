#include "cli/run_inputs.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/named_values.h"
#include "cli/tensor_files.h"
#include "quant/lower/quantized_tensor.h"
#include "vm/labels.h"

namespace tally::cli {
namespace {

// Beyond the type's interval they keep their values, which the engine refuses.
Tensor FromIntegers(const std::vector<int64_t>& values, const TensorType& type) {
  const bool fit =
      std::ranges::all_of(values, [&](int64_t x) { return x >= type.interval.lo && x <= type.interval.hi; });
  const Storage storage = fit ? type.storage() : Storage::kI64;
  Tensor tensor(type.shape, storage);
  for (size_t i = 0; i < values.size(); ++i)
    StoreElement(storage, tensor.mutable_bytes().data(), static_cast<int64_t>(i), values[i]);
  return tensor;
}

absl::StatusOr<Tensor> FromFloats(const std::vector<float>& reals, const ValueInfo& info,
                                  const TensorType& type) {
  if (!info.quantization.has_value()) {
    return MakeError(label::input_type, absl::StrCat("floats are given, and the module has no grid for '",
                                                     info.name, "': it takes integers of ", type.interval.lo,
                                                     " to ", type.interval.hi, ", such as pixels"));
  }
  if (!std::ranges::all_of(reals, [](float x) { return std::isfinite(x); }))
    return MakeError(label::input_type, absl::StrCat("NaN or an infinity is given for '", info.name, "'"));
  return quant::QuantizeTensor(reals, quant::FromMetadata(*info.quantization), type);
}

}  // namespace

absl::StatusOr<RunInputs> RunInputs::Open(const ValidModule& module, const SampleOptions& options) {
  RunInputs inputs(module);
  std::vector<std::string> names;
  for (const ValueInfo& info : module.module().metadata.params) names.push_back(info.name);
  ASSIGN_OR_RETURN(const auto named, WithArrayNames(options.files, names.size()));
  ASSIGN_OR_RETURN(const auto paths, ValuesByName(named, names, "--input", label::input_name));
  for (size_t i = 0; i < names.size(); ++i) {
    const auto dims = module.entry().params[i].shape.dims();
    ASSIGN_OR_RETURN(Source source, OpenSource(*paths[i], {.name = names[i],
                                                           .shape = {dims.begin(), dims.end()},
                                                           .channels_last = options.layout == "nhwc",
                                                           .resize = options.resize,
                                                           .one_has_its_shape = true,
                                                           .wrong_shape = label::input_shape}));
    const int64_t count = source.samples != nullptr ? source.samples->count() : 1;
    if (i > 0 && count != inputs.count_)
      return MakeError(label::input_shape, "the inputs have different numbers of samples");
    inputs.count_ = count;
    inputs.sources_.push_back(std::move(source));
  }
  return inputs;
}

absl::StatusOr<RunInputs::Source> RunInputs::OpenSource(const std::string& path, const SampleForm& form) {
  auto samples = OpenSamples(path, form);
  if (samples.ok()) return Source{*std::move(samples), nullptr, absl::OkStatus()};
  if (!HasLabel(samples.status(), label::input_shape)) return samples.status();
  auto tensor = ReadTensor(path);
  if (!tensor.ok()) return samples.status();
  return Source{nullptr, std::make_unique<const Tensor>(*std::move(tensor)), samples.status()};
}

absl::Status RunInputs::Explained(const absl::Status& refusal) const {
  if (!HasLabel(refusal, label::input_shape)) return refusal;
  const auto misfit = std::ranges::find_if(sources_, [](const Source& s) { return s.misfit != nullptr; });
  return misfit == sources_.end() ? refusal : misfit->why;
}

absl::StatusOr<std::vector<Tensor>> RunInputs::Read(int64_t sample) const {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].misfit != nullptr) {
      tensors.push_back(*sources_[i].misfit);
      continue;
    }
    const TensorType& type = module_.entry().params[i];
    ASSIGN_OR_RETURN(const SampleElements elements, sources_[i].samples->Read(sample));
    if (const auto* integers = std::get_if<std::vector<int64_t>>(&elements)) {
      tensors.push_back(FromIntegers(*integers, type));
    } else {
      ASSIGN_OR_RETURN(Tensor tensor, FromFloats(std::get<std::vector<float>>(elements),
                                                 module_.module().metadata.params[i], type));
      tensors.push_back(std::move(tensor));
    }
  }
  return tensors;
}

}  // namespace tally::cli
