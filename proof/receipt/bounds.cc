#include "proof/receipt/bounds.h"

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"
#include "serializer/hash_domain.h"

namespace tally {
namespace {

void WriteInterval(CborWriter& writer, const Interval& interval) {
  writer.WriteInt(interval.lo);
  writer.WriteInt(interval.hi);
}

absl::StatusOr<Interval> ReadInterval(CborReader& reader) {
  ASSIGN_OR_RETURN(const int64_t lo, reader.ReadInt());
  ASSIGN_OR_RETURN(const int64_t hi, reader.ReadInt());
  if (lo > hi) return MakeError(label::bounds_interval, absl::StrCat("[", lo, ", ", hi, "] is empty"));
  return Interval{lo, hi};
}

void WriteType(CborWriter& writer, const TensorType& type) {
  writer.WriteArray(4);
  writer.WriteUnsigned(static_cast<uint64_t>(type.storage()));
  writer.WriteArray(type.shape.dims().size());
  for (const int64_t dim : type.shape.dims()) writer.WriteInt(dim);
  WriteInterval(writer, type.interval);
}

absl::StatusOr<TensorType> ReadType(CborReader& reader) {
  RETURN_IF_ERROR(reader.ExpectArray(4));
  ASSIGN_OR_RETURN(const uint64_t storage, reader.ReadUnsigned());
  ASSIGN_OR_RETURN(const uint64_t rank, reader.ReadArray());
  std::vector<int64_t> dims;
  for (uint64_t i = 0; i < rank; ++i) {
    ASSIGN_OR_RETURN(dims.emplace_back(), reader.ReadInt());
  }
  TensorType type;
  ASSIGN_OR_RETURN(type.shape, Shape::Create(dims));
  ASSIGN_OR_RETURN(type.interval, ReadInterval(reader));
  if (storage != static_cast<uint64_t>(type.storage())) {
    return MakeError(label::bounds_storage,
                     absl::StrCat("storage ", storage, " of elements in ", type.interval.ToString()));
  }
  return type;
}

absl::StatusOr<InstructionBounds> ReadInstruction(CborReader& reader) {
  RETURN_IF_ERROR(reader.ExpectArray(3));
  InstructionBounds bounds;
  ASSIGN_OR_RETURN(bounds.accumulator, ReadInterval(reader));
  ASSIGN_OR_RETURN(const uint64_t results, reader.ReadArray());
  for (uint64_t i = 0; i < results; ++i) {
    ASSIGN_OR_RETURN(bounds.results.emplace_back(), ReadType(reader));
  }
  return bounds;
}

}  // namespace

ModuleBounds BoundsOf(const ValidModule& module) {
  ModuleBounds bounds = {.gas = static_cast<uint64_t>(module.gas()),
                         .arena_bytes = static_cast<uint64_t>(module.arena_bytes()),
                         .functions = {}};
  for (const FunctionFacts& facts : module.functions()) {
    std::vector<InstructionBounds>& function = bounds.functions.emplace_back();
    for (const InstructionFacts& instruction : facts.instructions) {
      const auto first = facts.types.begin() + instruction.first_result;
      function.push_back({instruction.accumulator, {first, first + instruction.num_results}});
    }
  }
  return bounds;
}

std::vector<uint8_t> EncodeBounds(const ModuleBounds& bounds) {
  CborWriter writer;
  writer.WriteMap(3);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(bounds.gas);
  writer.WriteUnsigned(2);
  writer.WriteUnsigned(bounds.arena_bytes);
  writer.WriteUnsigned(3);
  writer.WriteArray(bounds.functions.size());
  for (const std::vector<InstructionBounds>& function : bounds.functions) {
    writer.WriteArray(function.size());
    for (const InstructionBounds& instruction : function) {
      writer.WriteArray(3);
      WriteInterval(writer, instruction.accumulator);
      writer.WriteArray(instruction.results.size());
      for (const TensorType& type : instruction.results) WriteType(writer, type);
    }
  }
  return writer.Take();
}

absl::StatusOr<ModuleBounds> DecodeBounds(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  ModuleBounds bounds;
  RETURN_IF_ERROR(reader.ExpectMap(3));
  RETURN_IF_ERROR(reader.ExpectKey(1));
  ASSIGN_OR_RETURN(bounds.gas, reader.ReadUnsigned());
  RETURN_IF_ERROR(reader.ExpectKey(2));
  ASSIGN_OR_RETURN(bounds.arena_bytes, reader.ReadUnsigned());
  RETURN_IF_ERROR(reader.ExpectKey(3));
  ASSIGN_OR_RETURN(const uint64_t functions, reader.ReadArray());
  for (uint64_t f = 0; f < functions; ++f) {
    ASSIGN_OR_RETURN(const uint64_t instructions, reader.ReadArray());
    std::vector<InstructionBounds>& function = bounds.functions.emplace_back();
    for (uint64_t i = 0; i < instructions; ++i) {
      ASSIGN_OR_RETURN(function.emplace_back(), ReadInstruction(reader));
    }
  }
  RETURN_IF_ERROR(reader.ExpectEnd());
  return bounds;
}

Digest BoundsDigest(const ModuleBounds& bounds) {
  return HashInDomain(HashDomain::kBounds, EncodeBounds(bounds));
}

}  // namespace tally
