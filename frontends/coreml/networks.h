// Networks within layers: what branches and loops do with the blobs around them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/coreml/schema/coreml.pb.h"
#include "frontends/graph/operand.h"

namespace tally::coreml {

// The meaning of a name of the file at some place: a value, and S of its shape where ranks are not exact.
struct Blob {
  frontend::Operand operand;
  int64_t sequence = 1;
};

// The same, or nothing: where no layer gives it, or a report says why the layer that does is refused.
struct Meaning {
  std::optional<Blob> blob = {};
  bool is_reported = false;
};

// How a network within a layer ends.
enum class Flow {
  kEnd,       // after its last layer
  kBreak,     // at a loopBreak
  kContinue,  // at a loopContinue
};

// Where the trip of a loop ends early, if `condition` is not 0.
struct EarlyEnd {
  frontend::Operand condition;
  Flow flow = Flow::kBreak;
  std::vector<Blob> states;  // as they are there
};

// A loop whose body is being imported.
struct OpenLoop {
  std::vector<std::string> states;            // blobs from before the loop that its body gives anew
  std::vector<frontend::Operand> conditions;  // computed ones of the branches around
  std::vector<EarlyEnd> ends = {};            // in the order of the body
};

class Networks {
 public:
  virtual ~Networks() = default;

  // The layers of a network, over the blobs that there are. `is_again`: an earlier trip has imported them.
  // Errors: also model_too_large beyond 2^18 layers and blobs of networks within layers.
  virtual absl::StatusOr<Flow> Import(const coreml_schema::NeuralNetwork& network, bool is_again) = 0;
  // The import of the network around ends here.
  virtual void End(Flow flow) = 0;

  virtual Meaning Find(const std::string& name) const = 0;
  // Later readers of `name` get this.
  virtual absl::Status Set(const std::string& name, const Meaning& meaning) = 0;

  // The loops around the place where the import is, the innermost last.
  virtual std::vector<OpenLoop>& loops() = 0;
};

// The blobs that layers of a network give, those of networks within layers too.
std::set<std::string> GivenBy(const coreml_schema::NeuralNetwork& network);

}  // namespace tally::coreml
