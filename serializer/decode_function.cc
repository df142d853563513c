#include "serializer/decode_function.h"

#include <cstdint>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/op_table.h"
#include "serializer/decode_values.h"
#include "serializer/labels.h"
#include "vm/limits.h"

namespace tally {
namespace {

constexpr uint64_t kMinParamBytes = 3;        // rank 0, two bounds
constexpr uint64_t kMinInstructionBytes = 2;  // opcodes start at 0x0101

absl::StatusOr<ValueId> ReadValueId(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t id, reader.ReadVarint());
  if (id > std::numeric_limits<ValueId>::max()) {
    return MakeError(label::bad_value_id, absl::StrCat("value id ", id, " before byte ", reader.position()));
  }
  return static_cast<ValueId>(id);
}

absl::StatusOr<TensorType> ReadTensorType(ByteReader& reader) {
  TensorType type;
  ASSIGN_OR_RETURN(type.shape, ReadShape(reader));
  ASSIGN_OR_RETURN(type.interval.lo, reader.ReadSignedVarint());
  ASSIGN_OR_RETURN(type.interval.hi, reader.ReadSignedVarint());
  return type;
}

absl::StatusOr<int64_t> ReadEnum(const AttrSpec& spec, ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t code, reader.ReadVarint());
  if (code >= spec.names.size()) {
    return MakeError(label::bad_enum, absl::StrCat(ToAbsl(spec.name), " has no value ", code, " before byte ",
                                                   reader.position()));
  }
  return static_cast<int64_t>(code);
}

absl::StatusOr<AttrValue> ReadList(const AttrSpec& spec, ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t count, ReadCount(spec.name, kMaxAttributeList, 1, reader));
  AttrValue list;
  list.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const int64_t element, reader.ReadSignedVarint());
    list.push_back(element);
  }
  return list;
}

absl::StatusOr<AttrValue> ReadAttribute(const AttrSpec& spec, ByteReader& reader) {
  int64_t scalar = 0;
  switch (spec.kind) {
    case AttrKind::kList: return ReadList(spec, reader);
    case AttrKind::kInt:
    case AttrKind::kFunction: {
      ASSIGN_OR_RETURN(scalar, reader.ReadSignedVarint());
      break;
    }
    case AttrKind::kBool: {
      ASSIGN_OR_RETURN(scalar, ReadFlag(reader));
      break;
    }
    case AttrKind::kEnum: {
      ASSIGN_OR_RETURN(scalar, ReadEnum(spec, reader));
      break;
    }
  }
  return AttrValue{scalar};
}

absl::StatusOr<Instruction> ReadInstruction(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t code, reader.ReadVarint());
  const OpInfo* info = FindOp(code);
  if (info == nullptr) {
    return MakeError(label::unknown_opcode,
                     absl::StrCat("opcode ", code, " before byte ", reader.position()));
  }
  uint64_t num_operands = static_cast<uint64_t>(info->min_operands);
  if (info->min_operands != info->max_operands) {
    ASSIGN_OR_RETURN(num_operands, ReadCount("operands", kMaxOperands, 1, reader));
  }
  Instruction instruction{info->code, {}, {}};
  instruction.attributes.reserve(info->attributes.size());
  for (uint64_t i = 0; i < num_operands; ++i) {
    ASSIGN_OR_RETURN(const ValueId operand, ReadValueId(reader));
    instruction.operands.push_back(operand);
  }
  for (const AttrSpec& spec : info->attributes) {
    ASSIGN_OR_RETURN(AttrValue value, ReadAttribute(spec, reader));
    instruction.attributes.push_back(std::move(value));
  }
  return instruction;
}

}  // namespace

absl::StatusOr<Function> ReadFunction(ByteReader& reader) {
  Function function;
  ASSIGN_OR_RETURN(const uint64_t num_params, ReadCount("parameters", kMaxParams, kMinParamBytes, reader));
  function.params.reserve(num_params);
  for (uint64_t i = 0; i < num_params; ++i) {
    ASSIGN_OR_RETURN(TensorType type, ReadTensorType(reader));
    function.params.push_back(std::move(type));
  }
  ASSIGN_OR_RETURN(const uint64_t num_instructions,
                   ReadCount("instructions", kMaxInstructions, kMinInstructionBytes, reader));
  function.body.reserve(num_instructions);
  for (uint64_t i = 0; i < num_instructions; ++i) {
    ASSIGN_OR_RETURN(Instruction instruction, ReadInstruction(reader));
    function.body.push_back(std::move(instruction));
  }
  ASSIGN_OR_RETURN(const uint64_t num_results, ReadCount("results", kMaxResults, 1, reader));
  function.results.reserve(num_results);
  for (uint64_t i = 0; i < num_results; ++i) {
    ASSIGN_OR_RETURN(const ValueId id, ReadValueId(reader));
    function.results.push_back(id);
  }
  return function;
}

}  // namespace tally
