// A module beside the float network that it was made of, on samples.
//
//   ASSIGN_OR_RETURN(const Accuracy accuracy, MeasureAccuracy(graph, *plan, images.size(), sample));
//   accuracy.outputs[0].error.sqnr_db();
//
// Inputs are quantized and results are read as reals by the grids of the module's metadata, as its users
// do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/accuracy/log_loss.h"
#include "quant/accuracy/output_error.h"
#include "quant/accuracy/right_count.h"
#include "quant/calibrate/loop.h"
#include "quant/calibrate/sample_source.h"
#include "quant/graph/graph.h"
#include "quant/grid/input_format.h"
#include "vm/plan.h"

namespace tally::quant {

// Integers that floats decide, beside outputs of floats: indices, labels, counts. They are the same or not,
// and have no dB.
bool IsChoice(const Graph& graph, const Output& output);

struct OutputAccuracy {
  std::string name;
  double step = 1;         // for the output's grid
  int64_t row = 1;         // elements of a row, of which the largest is its choice
  bool is_choice = false;  // IsChoice
  OutputError error;
  std::vector<double> sample_db = {};  // sqnr_db() of each sample alone; of choices, none
  // Whether some element of the float network differs from that of the first sample, or of a single sample
  // from 0. Results that are bounded, as those of a sigmoid are, have to differ by a hundredth of their
  // bounds. What is always the same, as when a detector finds nothing, is no evidence.
  bool varies = false;

  // The share of rows with the same choice; of integers that are choices themselves, the share of them.
  double agreement() const { return is_choice ? error.share_equal() : error.agreement(); }
};

struct Accuracy {
  int64_t samples = 0;
  std::vector<OutputAccuracy> outputs;  // in the order of the graph
  // For the first output, where it is told what is right: of the float network and of the module.
  LogLoss expected_loss, loss;
  RightCount expected_right, right;

  // The outputs that have dB: those that vary, or all where none does.
  std::vector<const OutputAccuracy*> judged() const;
  const OutputAccuracy* worst() const;  // that of least dB among them; null without any
  double worst_sqnr_db() const;         // its dB; infinite without one
};

// Is shown what the float network and the module make of a sample, as reals: elements of output `output`.
using OutputObserver =
    std::function<void(size_t output, std::span<const double> expected, std::span<const double> got)>;

struct MeasureOptions {
  Progress progress = nullptr;
  OutputObserver observer = nullptr;
  // How inputs are presented of which the metadata says no grid.
  std::vector<InputFormat> formats = {};
  // If not empty: for each row of the first output, over all samples, the place of its right element.
  std::span<const int64_t> right = {};
  // The module's own results are fed back to it; samples have the states of the float network.
  Loop loop = {};
};

// `graph` has passed Verify. Errors: accuracy_module, where inputs or outputs of the two have other shapes
// or the module says no grid; calibration_no_samples, graph_run_inputs, those of `samples` and of
// Plan::Execute.
absl::StatusOr<Accuracy> MeasureAccuracy(const Graph& graph, const Plan& plan, int64_t num_samples,
                                         const SampleSource& samples, const MeasureOptions& options = {});

}  // namespace tally::quant
