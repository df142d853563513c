// Headers that are parsed once and not with each source: headers of the standard library and of others that
// most sources read, directly or through base/error.h. absl/status/status.h alone is more than half of what a
// small source takes to compile. Sources include what they use as if this did not exist: other compilers read
// an empty file in its place.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
