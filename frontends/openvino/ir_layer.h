// The view that the importer of one OpenVINO operation has: a layer (frontends/graph/layer.h), and its
// attributes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "frontends/graph/labels.h"
#include "frontends/graph/layer.h"
#include "frontends/graph/refusals.h"
#include "frontends/openvino/ir_file.h"

namespace tally::openvino {

using namespace frontend;  // the words that importers of all formats share
using frontend::Operand;   // not the operand of a reference (ops/reference.h)

// By the ids of Parameters, or of Results.
using BodyOperands = std::map<int64_t, Operand>;
using BodyImporter = std::function<absl::StatusOr<std::optional<BodyOperands>>(
    size_t index, const BodyOperands& parameters, bool is_again)>;

class IrNode : public Layer {
 public:
  IrNode(LayerNames names, Scope& scope, const std::unordered_set<std::string_view>& read,
         const IrLayer& file, BodyImporter body_importer)
      : Layer(std::move(names), scope, read), file_(file), body_importer_(std::move(body_importer)) {}

  const IrLayer& file() const { return file_; }
  // The number of the operator set in which the layer is; 1 where it says none.
  int64_t opset() const;
  bool Has(std::string_view name) const { return file_.data.contains(name); }

  // An attribute; without a fallback it has to be there. Errors: model_malformed.
  absl::StatusOr<int64_t> Int(std::string_view name, std::optional<int64_t> fallback = {});
  absl::StatusOr<float> Float(std::string_view name, std::optional<float> fallback = {});
  // true and false in any case, 1 and 0.
  absl::StatusOr<bool> Flag(std::string_view name, std::optional<bool> fallback = {});
  absl::StatusOr<std::string> Word(std::string_view name, std::optional<std::string> fallback = {});
  // As it is written, where Word makes letters small.
  absl::StatusOr<std::string> Text(std::string_view name);
  // Lists; empty where they are left out.
  absl::StatusOr<std::vector<int64_t>> Ints(std::string_view name);
  absl::StatusOr<std::vector<float>> Floats(std::string_view name);
  // Refuses attributes that nobody has read: they may be of a newer schema, and change what the layer
  // computes. Values that are there by default pass, and leftovers of old converters are a note. Errors:
  // model_unsupported_attribute.
  absl::Status CheckTheRest();

  // The graph of a body, from what its Parameters are: what its Results give, or nothing where the report
  // says why, and then nothing is to be finished. `is_again`: an earlier trip has imported it.
  absl::StatusOr<std::optional<BodyOperands>> ImportBody(size_t index, const BodyOperands& parameters,
                                                         bool is_again = false) {
    return body_importer_(index, parameters, is_again);
  }

  // The elements of an input that is a constant of integers.
  absl::StatusOr<std::vector<int64_t>> List(size_t index) const;
  // The one number that an input must be, an integer.
  absl::StatusOr<int64_t> Number(size_t index) const;
  // The same as an axis of a value of `rank`, from the front.
  absl::StatusOr<size_t> AxisInput(size_t index, size_t rank) const;

 private:
  // Nothing where there is none and a fallback.
  absl::StatusOr<std::optional<std::string>> Find(std::string_view name, bool has_fallback);

  const IrLayer& file_;
  const BodyImporter body_importer_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace tally::openvino
