// The translator of each operation: operators.inc has the rows.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/openvino/exact/translator.h"

namespace tally::openvino {

#define OPENVINO_SAME(name, op)
#define OPENVINO_EXACT(name, translate) absl::Status translate(Translator& t);
#include "frontends/openvino/exact/operators.inc"
#undef OPENVINO_EXACT
#undef OPENVINO_SAME

// The nodes of a layer, in any case of its type. Errors: model_unsupported_operator, those of the translator.
absl::Status Translate(Translator& t);

}  // namespace tally::openvino
