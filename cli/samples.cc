#include "cli/samples.h"

#include <map>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/load.h"
#include "cli/tensor_files.h"
#include "quant/labels.h"

namespace tally::cli {

quant::SampleSource Samples::From(int64_t first) const {
  return [this, first](int64_t i) -> absl::StatusOr<std::vector<quant::FloatTensor>> {
    std::vector<quant::FloatTensor> inputs;
    for (const auto& of_input : of_inputs) inputs.push_back(of_input[static_cast<size_t>(first + i)]);
    return inputs;
  };
}

absl::StatusOr<Samples> ReadSampleFiles(const quant::Graph& graph, const std::vector<std::string>& options,
                                        std::string_view flag) {
  std::map<std::string, std::string> files;
  for (const std::string& option : options) {
    if (option.find('=') == std::string::npos && graph.inputs.size() == 1) {
      files[graph.values[graph.inputs[0]].name] = option;
      continue;
    }
    ASSIGN_OR_RETURN(auto name_and_file, SplitOption(option));
    files.insert(std::move(name_and_file));
  }
  Samples samples;
  for (const quant::ValueId id : graph.inputs) {
    const quant::Value& input = graph.values[id];
    const auto file = files.find(input.name);
    if (file == files.end()) {
      return MakeError(label::calibration_no_samples,
                       absl::StrCat("no ", ToAbsl(flag), " samples for input '", input.name, "'"));
    }
    ASSIGN_OR_RETURN(std::vector<quant::FloatTensor> of_input, ReadSamples(file->second, input.type.shape));
    if (!samples.of_inputs.empty() && samples.count() != static_cast<int64_t>(of_input.size())) {
      return MakeError(label::samples_shape, "the inputs have different numbers of samples");
    }
    samples.of_inputs.push_back(std::move(of_input));
    files.erase(file);
  }
  if (!files.empty()) {
    return MakeError(label::input_name, absl::StrCat("the network has no input '", files.begin()->first,
                                                     "' for ", ToAbsl(flag)));
  }
  return samples;
}

}  // namespace tally::cli
