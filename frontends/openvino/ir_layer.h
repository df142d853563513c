// What the importer of one OpenVINO operation sees: a layer (frontends/graph/layer.h), and its attributes.
#pragma once

#include <cstdint>
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
#include "frontends/openvino/ir_file.h"

namespace tally::openvino {

using namespace frontend;  // the words that importers of all formats share

inline absl::Status Malformed(std::string_view what) { return MakeError(label::model_malformed, what); }
inline absl::Status Unsupported(std::string_view what) {
  return MakeError(label::model_unsupported_attribute, what);
}

class IrNode : public Layer {
 public:
  IrNode(LayerNames names, Scope& scope, const std::unordered_set<std::string_view>& read,
         const IrLayer& file)
      : Layer(std::move(names), scope, read), file_(file) {}

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
  // Lists; empty where they are left out.
  absl::StatusOr<std::vector<int64_t>> Ints(std::string_view name);
  absl::StatusOr<std::vector<float>> Floats(std::string_view name);
  // Attributes that nobody has read are a note: converters write many that say nothing.
  void NoteTheRest();

  // The elements of an input that is a constant of integers.
  absl::StatusOr<std::vector<int64_t>> List(size_t index) const;
  // The one number that an input must be, an integer.
  absl::StatusOr<int64_t> Number(size_t index) const;

 private:
  // Nothing where there is none and a fallback.
  absl::StatusOr<std::optional<std::string>> Find(std::string_view name, bool has_fallback);

  const IrLayer& file_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace tally::openvino
