#include "frontends/cvm/params.h"

#include <set>

#include "base/byte_reader.h"
#include "base/byte_writer.h"
#include "base/error.h"
#include "base/labels.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/labels.h"

namespace tally::cvm {
namespace {

constexpr uint64_t kListMagic = 0xf7e58d4f05049cb7, kArrayMagic = 0xdd5e40f096b4a13f;
constexpr uint32_t kCpu = 1;
// u8 kind, u8 bits, u16 lanes.
constexpr uint32_t TypeOf(Storage storage) {
  return static_cast<uint32_t>(8 * SizeBytes(storage)) << 8 | 1u << 16;
}
constexpr uint64_t kMinNameBytes = 8;    // a name without letters
constexpr uint64_t kMinArrayBytes = 44;  // an array without elements

absl::Status Malformed(const ByteReader& reader, std::string_view what) {
  return MakeError(label::cvm_params, absl::StrCat("before byte ", reader.position(), ": ", ToAbsl(what)));
}

// A read that went over the end gets this frontend's label.
template <typename T>
absl::StatusOr<T> Ended(absl::StatusOr<T> value) {
  if (!value.ok())
    return MakeError(label::cvm_params, absl::StrCat("the file ends early: ", value.status().message()));
  return value;
}

absl::Status ExpectU64(ByteReader& reader, uint64_t expected, std::string_view what) {
  ASSIGN_OR_RETURN(const uint64_t value, Ended(reader.ReadU64()));
  return value == expected ? absl::OkStatus() : Malformed(reader, what);
}

absl::StatusOr<uint64_t> ReadCount(ByteReader& reader, uint64_t min_bytes_each) {
  ASSIGN_OR_RETURN(const uint64_t count, Ended(reader.ReadU64()));
  if (count > reader.remaining() / min_bytes_each) return Malformed(reader, "more arrays than bytes");
  return count;
}

absl::StatusOr<TensorView> ReadArray(ByteReader& reader) {
  RETURN_IF_ERROR(ExpectU64(reader, kArrayMagic, "no array begins here"));
  RETURN_IF_ERROR(ExpectU64(reader, 0, "a reserved field is not 0"));
  ASSIGN_OR_RETURN(const uint32_t device, Ended(reader.ReadU32()));
  if (device != kCpu) return Malformed(reader, absl::StrCat("device type ", device, " is not 1, the CPU"));
  RETURN_IF_ERROR(Ended(reader.ReadU32()).status());  // which CPU
  ASSIGN_OR_RETURN(const uint32_t rank, Ended(reader.ReadU32()));
  if (rank > kMaxRank)
    return MakeError(label::shape_rank, absl::StrCat("an array of rank ", static_cast<int32_t>(rank)));
  ASSIGN_OR_RETURN(const uint32_t type, Ended(reader.ReadU32()));
  if (type != TypeOf(Storage::kI8) && type != TypeOf(Storage::kI32)) {
    return Malformed(reader, "elements that are neither int8 nor int32");
  }
  TensorView array = {.storage = type == TypeOf(Storage::kI8) ? Storage::kI8 : Storage::kI32};
  std::vector<int64_t> dims;
  for (uint32_t i = 0; i < rank; ++i) {
    ASSIGN_OR_RETURN(const uint64_t dim, Ended(reader.ReadU64()));
    dims.push_back(static_cast<int64_t>(dim));
  }
  ASSIGN_OR_RETURN(array.shape, Shape::Create(dims));
  RETURN_IF_ERROR(
      ExpectU64(reader, static_cast<uint64_t>(array.size_bytes()), "the size is not that of the dims"));
  ASSIGN_OR_RETURN(array.bytes, Ended(reader.ReadBytes(static_cast<uint64_t>(array.size_bytes()))));
  return array;
}

}  // namespace

absl::StatusOr<std::vector<Param>> ReadParams(std::span<const uint8_t> bytes) {
  ByteReader reader(bytes);
  RETURN_IF_ERROR(ExpectU64(reader, kListMagic, "this is not a params file of CVM"));
  RETURN_IF_ERROR(ExpectU64(reader, 0, "a reserved field is not 0"));
  ASSIGN_OR_RETURN(const uint64_t count, ReadCount(reader, kMinNameBytes));
  std::vector<Param> params;
  std::set<std::string_view> names;
  for (uint64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const uint64_t length, Ended(reader.ReadU64()));
    ASSIGN_OR_RETURN(const std::span<const uint8_t> name, Ended(reader.ReadBytes(length)));
    params.push_back({.name = {reinterpret_cast<const char*>(name.data()), name.size()}});
    if (!names.insert(params.back().name).second) {
      return MakeError(label::cvm_param_name,
                       absl::StrCat("'", PrintableStart(params.back().name), "' stands twice"));
    }
  }
  ASSIGN_OR_RETURN(const uint64_t arrays, ReadCount(reader, kMinArrayBytes));
  if (arrays != count) return Malformed(reader, absl::StrCat(arrays, " arrays for ", count, " names"));
  for (Param& param : params) {
    absl::StatusOr<TensorView> array = ReadArray(reader);
    if (!array.ok()) {
      return WithMessage(array.status(), absl::StrCat("array '", PrintableStart(param.name),
                                                      "': ", array.status().message()));
    }
    param.array = *array;
  }
  if (reader.remaining() != 0) return Malformed(reader, absl::StrCat(reader.remaining(), " bytes too many"));
  return params;
}

std::vector<uint8_t> WriteParams(std::span<const Param> params) {
  ByteWriter writer;
  writer.WriteU64(kListMagic);
  writer.WriteU64(0);
  writer.WriteU64(params.size());
  for (const Param& param : params) {
    writer.WriteU64(param.name.size());
    writer.WriteBytes({reinterpret_cast<const uint8_t*>(param.name.data()), param.name.size()});
  }
  writer.WriteU64(params.size());
  for (const auto& [name, array] : params) {
    writer.WriteU64(kArrayMagic);
    writer.WriteU64(0);
    writer.WriteU32(kCpu);
    writer.WriteU32(0);
    writer.WriteU32(static_cast<uint32_t>(array.shape.rank()));
    writer.WriteU32(TypeOf(array.storage));
    for (const int64_t dim : array.shape.dims()) writer.WriteU64(static_cast<uint64_t>(dim));
    writer.WriteU64(static_cast<uint64_t>(array.size_bytes()));
    writer.WriteBytes(array.bytes);
  }
  return writer.Take();
}

}  // namespace tally::cvm
