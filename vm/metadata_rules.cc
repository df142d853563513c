#include "vm/metadata_rules.h"

#include <set>
#include <string_view>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/infer.h"
#include "vm/limits.h"

namespace tally {
namespace {

constexpr int64_t kMaxScaleMultiplier = int64_t{1} << 53;  // every double is multiplier * 2^-shift with these
constexpr int64_t kMaxScaleShift = 1074;

absl::Status CheckInfos(const std::vector<ValueInfo>& infos, size_t count, std::string_view what) {
  if (infos.size() != count) {
    return MakeError("metadata_count",
                     absl::StrCat(infos.size(), " descriptions of ", count, " ", ToAbsl(what)));
  }
  std::set<std::string_view> names;
  for (const ValueInfo& info : infos) {
    if (info.name.empty() || info.name.size() > static_cast<size_t>(kMaxNameBytes) ||
        !IsPrintableUtf8(info.name) || !names.insert(info.name).second) {
      return MakeError("metadata_name", absl::StrCat("name of ", ToAbsl(what), " ", names.size(),
                                                     " is empty, too long, unprintable or not unique"));
    }
    if (!info.quantization.has_value()) continue;
    const Quantization& q = *info.quantization;
    if (q.multiplier < 1 || q.multiplier > kMaxScaleMultiplier || q.multiplier % 2 == 0 ||
        q.shift < -kMaxScaleShift || q.shift > kMaxScaleShift ||
        !TensorLimit(Profile::kCore).Contains(q.zero_point)) {
      return MakeError("metadata_quantization", absl::StrCat("scale of ", info.name, " is out of range"));
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
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(name[i]); };
  for (size_t i = 0; i < name.size();) {
    const uint8_t lead = byte(i);
    const int extra = lead < 0x80             ? 0
                      : (lead & 0xe0) == 0xc0 ? 1
                      : (lead & 0xf0) == 0xe0 ? 2
                      : (lead & 0xf8) == 0xf0 ? 3
                                              : -1;
    if (extra < 0 || i + static_cast<size_t>(extra) >= name.size()) return false;
    uint32_t code = extra == 0 ? lead : lead & (0x3f >> extra);
    for (int k = 1; k <= extra; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
      code = code << 6 | (byte(i + k) & 0x3f);
    }
    constexpr uint32_t kShortest[] = {0, 0x80, 0x800, 0x10000};
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    if (control || code < kShortest[extra] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      return false;
    i += 1 + static_cast<size_t>(extra);
  }
  return true;
}

}  // namespace tally
