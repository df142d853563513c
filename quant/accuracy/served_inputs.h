// Samples of a float network as the integers that its module takes.
//
//   ASSIGN_OR_RETURN(const ServedInputs served, ServedInputs::Create(graph, plan.module(), formats));
//   ASSIGN_OR_RETURN(const std::vector<tally::Tensor> inputs, served.Of(sample, number));
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tensor.h"
#include "quant/graph/graph.h"
#include "quant/grid/input_format.h"
#include "vm/valid_module.h"

namespace tally::quant {

class ServedInputs {
 public:
  // By the grids of the module's metadata; `formats` say how inputs are presented that have none there, and
  // contradict no other. Errors: accuracy_module, for that, and where the inputs of the two differ in number
  // or shape.
  static absl::StatusOr<ServedInputs> Create(const Graph& graph, const ValidModule& module,
                                             const std::vector<InputFormat>& formats);

  // Errors: calibration_not_finite; graph_run_inputs, where an integer input holds what the module does not
  // take.
  absl::StatusOr<std::vector<tally::Tensor>> Of(std::span<const FloatTensor> sample, int64_t number) const;

 private:
  std::vector<QuantizedType> grids_;
  std::vector<TensorType> types_;
  std::vector<std::string> integers_;  // the names of integer inputs; empty for the others
};

// Errors: accuracy_module; `what` and `name` say of which value.
absl::Status CheckSameShape(std::string_view what, const std::string& name, std::span<const int64_t> expected,
                            const TensorType& type);

// Error calibration_not_finite.
absl::Status CheckFinite(std::span<const float> x, int64_t sample);

}  // namespace tally::quant
