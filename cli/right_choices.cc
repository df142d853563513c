#include "cli/right_choices.h"

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "cli/labels.h"
#include "cli/tensor_files.h"

namespace tally::cli {

absl::StatusOr<std::vector<int64_t>> ReadRightChoices(const std::string& path, const quant::Graph& graph,
                                                      int64_t samples) {
  ASSIGN_OR_RETURN(const Tensor labels, ReadTensor(path));
  const quant::Output& first = graph.outputs.front();
  const quant::Shape& shape = graph.values[first.value].type.shape;
  const int64_t row = quant::RowLength(shape);
  const int64_t rows = samples * (quant::NumElements(shape) / row);
  std::vector<int64_t> right(static_cast<size_t>(labels.shape().num_elements()));
  if (std::ssize(right) != rows) {
    return MakeError(label::samples_shape, absl::StrCat("'", path, "' has ", right.size(), " labels for ",
                                                        rows, " rows of output '", first.name, "'"));
  }
  for (size_t i = 0; i < right.size(); ++i) {
    right[i] = labels.view().at(static_cast<int64_t>(i));
    if (right[i] >= 0 && right[i] < row) continue;
    return MakeError(label::samples_range,
                     absl::StrCat("'", path, "' holds ", right[i], ", where a row of output '", first.name,
                                  "' has ", row, " elements"));
  }
  return right;
}

void AddRightChoices(const std::vector<int64_t>& right, const quant::Accuracy& accuracy, Summary& summary) {
  const quant::OutputError& error = accuracy.outputs.front().error;
  summary.AddShare("right", "float_accuracy", quant::ShareEqual(error.expected_choices(), right),
                   "by the float network");
  summary.AddShare("", "module_accuracy", quant::ShareEqual(error.choices(), right), "by the module");
}

}  // namespace tally::cli
