#include "frontends/coreml/operators.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"

namespace tally::coreml {
namespace {

struct Row {
  std::string_view type;
  LayerImporter import;
};

constexpr Row kRows[] = {
#define COREML_LAYER(type, importer) {#type, importer},
#include "frontends/coreml/operators.inc"
#undef COREML_LAYER
};

}  // namespace

std::string TypeOf(const schema::Layer& layer) {
  const auto* reflection = layer.GetReflection();
  const auto* oneof = layer.GetDescriptor()->FindOneofByName("layer");
  const auto* field = reflection->GetOneofFieldDescriptor(layer, oneof);
  if (field != nullptr) return field->json_name();
  const auto& unknown = reflection->GetUnknownFields(layer);
  constexpr int kFirstType = 100;
  for (int i = 0; i < unknown.field_count(); ++i) {
    if (unknown.field(i).number() >= kFirstType) return absl::StrCat("number ", unknown.field(i).number());
  }
  return "none";
}

absl::StatusOr<LayerImporter> FindImporter(const schema::Layer& layer) {
  const std::string type = TypeOf(layer);
  const auto* row = std::ranges::find(kRows, type, &Row::type);
  if (row != std::end(kRows)) return row->import;
  return MakeError(label::model_unsupported_operator, "layers of type " + type + " are not imported");
}

}  // namespace tally::coreml
