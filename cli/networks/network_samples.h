// Samples of all inputs of a network, for calibration and comparison.
//
//   ASSIGN_OR_RETURN(const auto samples, NetworkSamples::Open(network, options.samples, "--samples"));
//   const quant::Samples seen = samples->At(samples->parts().ranges);
//   ASSIGN_OR_RETURN(calibration, Calibrate(network.graph, seen.count, seen.source));
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
#include "cli/networks/load_network.h"
#include "cli/sample_parts.h"
#include "cli/samples/open_samples.h"
#include "cli/summary.h"
#include "quant/calibrate/sample_source.h"
#include "vm/valid_module.h"

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

  // The use of each sample, where a network is quantized.
  const SampleParts& parts() const { return parts_; }

  // The path of the file of each sample, of the first input that has such; empty for those of arrays.
  std::vector<std::string> files() const;

  // Those with these numbers, as the network's graph reads them, with what --loop says of them: inputs that
  // it feeds have the states of the float network. Points here. Errors: those of Samples::Read;
  // samples_type (integers of an input without --input-grid), samples_range.
  quant::Samples At(std::vector<int64_t> numbers);
  quant::Samples All();

  // Warnings about the samples that were read: nothing but zeros, elements beyond the grid, pixels where a
  // network takes reals.
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
  // The reals of the user's network, as the graph reads them.
  static void Serve(Input& input, quant::FloatTensor& values);
  absl::Status RunLoop(const quant::Graph& graph);

  std::vector<Input> inputs_;
  quant::Loop loop_;
  int64_t count_ = 0;
  SampleParts parts_;
};

// The options of a command that measures a module on samples, with what its notes say where those do not.
struct SamplesOfModule {
  ServedInputOptions inputs;
  SampleOptions samples;
};
// `path` is where the module is. What is taken from its notes is said under "prepared". Errors: those of
// ReadNotesBeside.
absl::StatusOr<SamplesOfModule> PreparedAsBefore(const ServedInputOptions& inputs,
                                                 const SampleOptions& samples, const std::string& path,
                                                 const ValidModule& module, Summary& summary);

}  // namespace tally::cli
