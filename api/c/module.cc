// Modules: loaded, described, named.
#include <algorithm>
#include <limits>

#include "api/c/addresses.h"
#include "api/c/call.h"
#include "api/c/objects.h"
#include "base/aligned_vector.h"
#include "base/io/input_file.h"
#include "serializer/decode.h"
#include "serializer/mapped_file.h"
#include "vm/limits.h"
#include "vm/validator.h"

namespace tally::api {
namespace {

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

uint64_t MaxBytes(const tally_load_options& options) {
  return options.max_bytes == 0 ? kNoLimit : options.max_bytes;
}

// `bytes` are `owner`'s.
absl::Status Load(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner,
                  const tally_load_options& options, tally_module* module) {
  RETURN_IF_ERROR(NotNegative(options.gas_limit, "gas_limit"));
  RETURN_IF_ERROR(NotNegative(options.memory_limit, "memory_limit"));
  ASSIGN_OR_RETURN(Module decoded, Decode(bytes, std::move(owner)));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(decoded)));
  RETURN_IF_ERROR(CheckValuesAddressable(valid));
  RETURN_IF_ERROR(CheckLimits(
      valid, {.gas_limit = LimitOf(options.gas_limit), .memory_limit_bytes = LimitOf(options.memory_limit)}));
  auto shared = std::make_shared<const ValidModule>(std::move(valid));
  Give(std::make_shared<const LoadedModule>(std::move(shared)), module);
  return absl::OkStatus();
}

absl::Status LoadMapped(const InputFile& file, const tally_load_options& options, tally_module* module) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> mapped, MappedFile::Map(file));
  return Load(mapped->bytes(), mapped, options, module);
}

// Memory that the caller has lent, until nobody uses it any more.
std::shared_ptr<const void> Lent(const void* bytes, const tally_load_options& options) {
  return {bytes, [release = options.release, user = options.user](const void*) { release(user); }};
}

absl::Status LoadBytes(const void* bytes, size_t size, const tally_load_options& options,
                       tally_module* module) {
  std::shared_ptr<const void> owner;
  if (options.release != nullptr) owner = Lent(bytes, options);
  RETURN_IF_ERROR(NotNull(module, "module"));
  RETURN_IF_ERROR(NotNull(bytes, "bytes"));
  if (size > MaxBytes(options)) return TooLarge("the bytes", options.max_bytes);
  const std::span<const uint8_t> given(static_cast<const uint8_t*>(bytes), size);
  // Elsewhere constants would be where kernels do not expect them.
  const bool is_aligned =
      reinterpret_cast<uintptr_t>(bytes) % static_cast<uintptr_t>(kConstantAlignment) == 0;
  if (owner != nullptr && is_aligned) return Load(given, std::move(owner), options, module);
  const auto copy = std::make_shared<const AlignedVector<uint8_t>>(given.begin(), given.end());
  return Load(*copy, copy, options, module);
}

// A parameter or a result.
absl::Status WriteValue(const TensorType& type, const ValueInfo& about, tally_value_info* info) {
  tally_value_info value = {.bytes = static_cast<size_t>(type.size_bytes()),
                            .rank = type.shape.rank(),
                            .storage = static_cast<int32_t>(type.storage()),
                            .lowest = type.interval.lo,
                            .highest = type.interval.hi};
  std::ranges::copy(type.shape.dims(), value.shape);
  if (about.quantization) {
    value.has_grid = 1;
    value.multiplier = about.quantization->multiplier;
    value.shift = about.quantization->shift;
    value.zero_point = about.quantization->zero_point;
  }
  static_assert(sizeof value.name > kMaxNameBytes);
  CopyText(about.name, value.name);
  return WriteStruct(value, info);
}

absl::Status OutOf(size_t index, size_t count, std::string_view what) {
  return MakeError(label::api_index, absl::StrCat(ToAbsl(what), " ", index, " of ", count));
}

}  // namespace
}  // namespace tally::api

using namespace tally;       // NOLINT: the functions are outside any namespace
using namespace tally::api;  // NOLINT

tally_status tally_module_load_file(const char* path, const tally_load_options* options, tally_module* module,
                                    tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    RETURN_IF_ERROR(NewHandle(module, "module"));
    RETURN_IF_ERROR(NotNull(path, "path"));
    ASSIGN_OR_RETURN(const tally_load_options how, ReadStruct(options));
    ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(path, std::min(MaxBytes(how), kMaxMappedBytes)));
    return LoadMapped(file, how, module);
  });
}

tally_status tally_module_load_descriptor(int fd, const tally_load_options* options, tally_module* module,
                                          tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    RETURN_IF_ERROR(NewHandle(module, "module"));
    ASSIGN_OR_RETURN(const tally_load_options how, ReadStruct(options));
    ASSIGN_OR_RETURN(const InputFile file,
                     InputFile::OfDescriptor(fd, std::min(MaxBytes(how), kMaxMappedBytes)));
    return LoadMapped(file, how, module);
  });
}

tally_status tally_module_load_bytes(const void* bytes, size_t size, const tally_load_options* options,
                                     tally_module* module, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    if (module != nullptr) module->handle = 0;  // a null place is refused when bytes can be given back
    ASSIGN_OR_RETURN(const tally_load_options how, ReadStruct(options));
    return LoadBytes(bytes, size, how, module);
  });
}

tally_status tally_module_close(tally_module module) { return Close<LoadedModule>(module); }

tally_status tally_module_id(tally_module module, uint8_t id[32], tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto loaded, ObjectOf<LoadedModule>(module));
    return WriteDigest(loaded->claimed().id, id);
  });
}

tally_status tally_module_get_info(tally_module module, tally_module_info* info, tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto loaded, ObjectOf<LoadedModule>(module));
    const ValidModule& valid = *loaded->valid;
    tally_module_info about = {.params = valid.functions()[0].params.size(),
                               .results = valid.functions()[0].results.size(),
                               .gas = valid.gas(),
                               .arena_bytes = valid.arena_bytes(),
                               .constant_bytes = valid.constant_bytes(),
                               .spec_version = static_cast<int32_t>(valid.module().spec_version)};
    for (const Function& function : valid.module().functions) about.instructions += function.body.size();
    CopyText(ProfileName(valid.module().profile), about.profile);
    return WriteStruct(about, info);
  });
}

tally_status tally_module_param(tally_module module, size_t index, tally_value_info* info,
                                tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto loaded, ObjectOf<LoadedModule>(module));
    const auto& params = loaded->valid->functions()[0].params;
    if (index >= params.size()) return OutOf(index, params.size(), "parameter");
    return WriteValue(params[index], loaded->valid->module().metadata.params[index], info);
  });
}

tally_status tally_module_result(tally_module module, size_t index, tally_value_info* info,
                                 tally_error* error) {
  return Call(error, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(const auto loaded, ObjectOf<LoadedModule>(module));
    const auto& results = loaded->valid->functions()[0].results;
    if (index >= results.size()) return OutOf(index, results.size(), "result");
    return WriteValue(results[index], loaded->valid->module().metadata.results[index], info);
  });
}
