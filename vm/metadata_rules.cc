#include "vm/metadata_rules.h"

#include <set>
#include <string_view>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "ops/infer.h"
#include "vm/labels.h"
#include "vm/limits.h"

namespace tally {
namespace {

constexpr int64_t kMaxScaleMultiplier = int64_t{1} << 53;  // every double is multiplier * 2^-shift with these
constexpr int64_t kMaxScaleShift = 1074;

absl::Status CheckInfos(const std::vector<ValueInfo>& infos, size_t count, std::string_view what) {
  if (infos.size() != count) {
    return MakeError(label::metadata_count,
                     absl::StrCat(infos.size(), " descriptions of ", count, " ", ToAbsl(what)));
  }
  std::set<std::string_view> names;
  for (const ValueInfo& info : infos) {
    if (info.name.empty() || info.name.size() > static_cast<size_t>(kMaxNameBytes) ||
        !IsPrintableUtf8(info.name) || !names.insert(info.name).second) {
      return MakeError(label::metadata_name, absl::StrCat("name of ", ToAbsl(what), " ", names.size(),
                                                          " is empty, too long, unprintable or not unique"));
    }
    if (!info.quantization.has_value()) continue;
    const Quantization& q = *info.quantization;
    if (q.multiplier < 1 || q.multiplier > kMaxScaleMultiplier || q.multiplier % 2 == 0 ||
        q.shift < -kMaxScaleShift || q.shift > kMaxScaleShift ||
        !TensorLimit(Profile::kCore).Contains(q.zero_point)) {
      return MakeError(label::metadata_quantization,
                       absl::StrCat("scale of ", info.name, " is out of range"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckMetadata(const Module& module) {
  RETURN_IF_ERROR(CheckInfos(module.metadata.params, module.entry().params.size(), "parameter"));
  return CheckInfos(module.metadata.results, module.entry().results.size(), "result");
}

bool IsPrintableUtf8(std::string_view name) {
  while (!name.empty()) {
    const Utf8Character c = FirstUtf8Character(name);
    const bool control = c.code < 0x20 || (c.code >= 0x7f && c.code < 0xa0);
    if (c.size == 0 || control) return false;
    name.remove_prefix(c.size);
  }
  return true;
}

}  // namespace tally
