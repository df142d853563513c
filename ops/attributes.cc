#include "ops/attributes.h"

#include "base/error.h"
#include "base/strings.h"
#include "ops/labels.h"

namespace tally {

absl::Status CheckAttributes(std::span<const AttrSpec> schema, const Attributes& attributes) {
  if (attributes.size() != schema.size()) {
    return MakeError(label::attribute_count,
                     absl::StrCat(attributes.size(), " attributes where ", schema.size(), " are declared"));
  }
  for (size_t i = 0; i < schema.size(); ++i) {
    const AttrSpec& spec = schema[i];
    const AttrValue& value = attributes[i];
    const int64_t length = static_cast<int64_t>(value.size());
    if (length < spec.min_length || length > spec.max_length) {
      return MakeError(label::attribute_length,
                       absl::StrCat(ToAbsl(spec.name), " has ", length, " elements, outside [",
                                    spec.min_length, ", ", spec.max_length, "]"));
    }
    for (const int64_t element : value) {
      if (element < spec.lo || element > spec.hi) {
        return MakeError(label::attribute_range, absl::StrCat(ToAbsl(spec.name), " = ", element,
                                                              " is outside [", spec.lo, ", ", spec.hi, "]"));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace tally
