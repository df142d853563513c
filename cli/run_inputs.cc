#include "cli/run_inputs.h"

#include <algorithm>
#include <iostream>
#include <tuple>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/notes.h"
#include "cli/preparation.h"
#include "cli/sample_options.h"
#include "cli/tensor_files.h"
#include "quant/grid/given_values.h"
#include "quant/grid/quantized_tensor.h"
#include "vm/labels.h"

namespace tally::cli {
namespace {

absl::Status CheckStates(const ValidModule& module, const quant::Loop& loop) {
  for (const quant::State& state : loop.states) {
    const Shape& from = module.types()[module.entry().results[state.output]].shape;
    const Shape& to = module.entry().params[state.input].shape;
    if (from == to) continue;
    return MakeError(label::input_shape,
                     absl::StrCat("--loop: result '", module.module().metadata.results[state.output].name,
                                  "' has shape ", from.ToString(), ", and input '",
                                  module.module().metadata.params[state.input].name, "' ", to.ToString()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RunInputs> RunInputs::Open(const ValidModule& module, const std::string& path,
                                          const SampleOptions& given) {
  RunInputs inputs(module);
  ASSIGN_OR_RETURN(const Notes notes, ReadNotesBeside(path, module.module()));
  SampleOptions options = given;
  std::tie(options.preparation, inputs.prepared_) = Prepared(given.preparation, notes.preparation);
  // Every command that runs a module says so, whatever its report is.
  if (!inputs.prepared_.empty()) std::cerr << "prepare " << Printable(inputs.prepared_) << "\n";
  std::vector<std::string> names, results;
  for (const ValueInfo& info : module.module().metadata.params) names.push_back(info.name);
  for (const ValueInfo& info : module.module().metadata.results) results.push_back(info.name);
  ASSIGN_OR_RETURN(inputs.loop_, ParseLoop(options, names, results));
  RETURN_IF_ERROR(CheckStates(module, inputs.loop_));
  ASSIGN_OR_RETURN(const auto paths, SampleFiles(options, names, inputs.loop_, "--input", label::input_name));
  bool has_count = false;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_state = IsFed(inputs.loop_, i);
    if (!paths[i].has_value()) {
      inputs.sources_.emplace_back();
      continue;
    }
    const auto dims = module.entry().params[i].shape.dims();
    ASSIGN_OR_RETURN(SampleForm form, FormOf(options, names[i], {dims.begin(), dims.end()}, notes.bgr_inputs,
                                             label::input_shape));
    form.integers_are_exact = true;
    ASSIGN_OR_RETURN(Source source, OpenSource(*paths[i], form));
    const int64_t count = source.samples != nullptr ? source.samples->count() : 1;
    if (is_state && count != 1) {
      return MakeError(label::input_shape, absl::StrCat("input '", names[i], "' is fed by --loop, and has ",
                                                        count, " samples: one is its first state"));
    }
    if (!is_state && has_count && count != inputs.count_)
      return MakeError(label::input_shape, "the inputs have different numbers of samples");
    if (!is_state) inputs.count_ = count;
    has_count = has_count || !is_state;
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
    const auto& quantization = module_.module().metadata.params[i].quantization;
    const bool is_state = IsFed(loop_, i);
    if (is_state && loop_.Continues(sample)) {
      tensors.push_back(sources_[i].state);
      continue;
    }
    if (sources_[i].samples == nullptr) {
      const int64_t zero = quantization.has_value() ? quantization->zero_point : 0;
      tensors.push_back(quant::GivenIntegers(
          std::vector<int64_t>(static_cast<size_t>(type.shape.num_elements()), zero), type));
      continue;
    }
    ASSIGN_OR_RETURN(const SampleElements elements, sources_[i].samples->Read(is_state ? 0 : sample));
    if (const auto* integers = std::get_if<std::vector<int64_t>>(&elements)) {
      tensors.push_back(quant::GivenIntegers(*integers, type));
    } else {
      ASSIGN_OR_RETURN(Tensor tensor,
                       quant::GivenReals(std::get<std::vector<float>>(elements),
                                         module_.module().metadata.params[i], type, label::input_type));
      tensors.push_back(std::move(tensor));
    }
  }
  return tensors;
}

void RunInputs::Feed(const std::vector<Tensor>& results) {
  for (const quant::State& state : loop_.states)
    sources_[state.input].state = quant::NextState(module_, state.output, state.input, results[state.output]);
}

}  // namespace tally::cli
