// Samples of all inputs of a network, for calibration and comparison.
//
//   ASSIGN_OR_RETURN(const auto samples, NetworkSamples::Open(network, options.samples, "--samples"));
//   ASSIGN_OR_RETURN(calibration, Calibrate(network.graph, samples->count(), samples->From(0)));
//   samples->Warn(summary);
//
// They are read from their files one at a time (cli/samples/open_samples.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/input_options.h"
#include "cli/load_network.h"
#include "cli/samples/open_samples.h"
#include "cli/summary.h"
#include "quant/calibrate/loop.h"
#include "quant/calibrate/sample_source.h"

namespace tally::cli {

class NetworkSamples {
 public:
  // [NAME=]PATH for each input; an .npz file without a name holds those whose names it has. `network`
  // outlives this. Where results are fed back, the network runs over all samples once, for its states.
  // Errors: those of OpenSamples; calibration_no_samples, which names `flag`; input_name, option_syntax;
  // samples_shape for states of another shape than their result, or of more than 1 GiB in all.
  static absl::StatusOr<std::unique_ptr<NetworkSamples>> Open(const ServedNetwork& network,
                                                              const SampleOptions& options,
                                                              std::string_view flag);

  int64_t count() const { return count_; }

  // What --loop says of these samples; inputs that it feeds have the states of the float network.
  const quant::Loop& loop() const { return loop_; }

  // Those from `first` on, as the network's graph reads them. Points here. Errors: those of Samples::Read;
  // samples_type (integers of an input without --input-grid), samples_range.
  quant::SampleSource From(int64_t first);

  // What looks wrong with what was read: nothing but zeros, elements beyond the grid, pixels where a network
  // takes reals.
  void Warn(Summary& summary) const;

 private:
  struct Input {
    std::string name;
    quant::Shape shape;
    bool takes_integers = false;
    std::unique_ptr<Samples> samples;            // nothing for a state that begins with zeros
    std::vector<quant::FloatTensor> states;      // by sample, where a result is fed back
    const quant::FoldedInput* served = nullptr;  // nothing without --input-grid
    // Counts of the elements that were read.
    int64_t elements = 0, beyond = 0;
    bool only_zeros = true, only_bytes = true;
    float largest = 0;
  };

  static absl::StatusOr<quant::FloatTensor> Read(Input& input, int64_t sample);
  // What the graph reads of reals that the user's network would.
  static void Serve(Input& input, quant::FloatTensor& values);
  absl::Status RunLoop(const quant::Graph& graph);

  std::vector<Input> inputs_;
  quant::Loop loop_;
  int64_t count_ = 0;
};

}  // namespace tally::cli
