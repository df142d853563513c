// Where a module loses accuracy: each value that it holds beside the same one of its float network, on
// samples.
//
//   ASSIGN_OR_RETURN(const LoweredGraph lowered, LowerGraph(graph, calibration, options));
//   ...
//   ASSIGN_OR_RETURN(const LayerAccuracies layers, MeasureLayers(graph, lowered.values, *plan, count, samples));
//   layers.Worst(3);
//
// Memory is that of all values of one sample.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quant/accuracy/output_error.h"
#include "quant/calibrate/sample_source.h"
#include "quant/graph/graph.h"
#include "quant/lower/lower.h"
#include "vm/plan.h"

namespace tally::quant {

// How often the float network's elements are where, in bins of one width over [low, high]; beyond them in the
// first and last.
struct Histogram {
  static constexpr size_t kBins = 64;
  double low = 0, high = 0;
  std::array<int64_t, kBins> counts{};

  void Add(double x);
};

struct LayerAccuracy {
  ValueId value = 0;   // the graph's
  std::string name;    // its name in the graph
  std::string op;      // that produces it: "Conv"; "input" for an input
  std::string source;  // the user's name of it
  std::vector<int64_t> shape;
  std::vector<size_t> reads;  // by place among the layers
  bool moves = false;         // passes on what it reads: the error is that of those
  QuantizedType type;
  ValueError error;               // with all that came before it
  std::optional<double> loss_db;  // how much less SQNR than the least of what it reads; nothing of inputs
  int64_t elements = 0;
  int64_t saturated = 0;  // elements of the float network beyond the grid by more than a step
  int64_t least_code = 0, largest_code = 0;
  int headroom_bits = 0;  // those out of 63 that no number on the way to it can need (headroom.h)
  std::optional<double>
      alone_db;         // SQNR of the worst output with this value alone on its grid; where it was measured
  Histogram histogram;  // over the grid and an eighth of it on both sides

  double clip_low() const { return type.scale * static_cast<double>(type.interval.lo - type.zero_point); }
  double clip_high() const { return type.scale * static_cast<double>(type.interval.hi - type.zero_point); }
  double largest_steps() const { return error.largest() / type.scale; }
  double saturated_share() const;
  // The share of the grid's codes that are between the least and the largest that occurred.
  double used_share() const;
};

struct LayerAccuracies {
  int64_t samples = 0;
  std::vector<LayerAccuracy> layers;  // in the order of the graph

  // Places of the `count` layers of least SQNR, of those that compute something; the least first.
  std::vector<size_t> Worst(size_t count) const;
};

// `values` are those of LowerGraph and `plan` one of its module. Errors: accuracy_module,
// calibration_no_samples, calibration_not_finite, graph_run_inputs, those of `samples` and of Plan::Execute.
// `formats` as in MeasureAccuracy.
absl::StatusOr<LayerAccuracies> MeasureLayers(const Graph& graph,
                                              const std::vector<std::optional<LoweredValue>>& values,
                                              const Plan& plan, int64_t num_samples,
                                              const SampleSource& samples, const Progress& progress = nullptr,
                                              const std::vector<InputFormat>& formats = {});

}  // namespace tally::quant
