// Everything that is measured, by name: whole networks and single layers.
//
//   ASSIGN_OR_RETURN(const Work work, BuildWork("resnet50", {}));
//   work.module;  // and for its peers, work.topology
#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "bench/models/bert_layer.h"
#include "bench/models/cnn.h"

namespace tally::bench {

// One product of 8-bit rows with 8-bit weights, to 8 bits.
struct MatmulLayer {
  int64_t rows = 1;
  DenseLayer dense;
};

struct Work {
  std::string name;
  bool network = false;
  Module module;
  int64_t multiply_accumulates = 0;
  // Its convolutions and matrix products in order, for a peer that has nothing else.
  std::vector<std::variant<ConvShape, MatmulShape>> linear;
  // From which a peer's model of the whole work is written; monostate where there is none.
  std::variant<std::monostate, Cnn, BertLayer, MatmulLayer> topology;
};

struct WorkInfo {
  std::string_view name;
  bool network = false;
  std::string_view summary;
};

// Networks first.
std::span<const WorkInfo> AllWorks();

// Error bench_work: no work is called `name`.
absl::StatusOr<Work> BuildWork(std::string_view name, const ModelOptions& options);

}  // namespace tally::bench
