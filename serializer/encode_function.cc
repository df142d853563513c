#include "serializer/encode_function.h"

#include <cstdint>
#include <span>

#include "ops/op_table.h"

namespace tally {
namespace {

void WriteAttribute(const AttrSpec& spec, const AttrValue& value, ByteWriter& writer) {
  switch (spec.kind) {
    case AttrKind::kInt:
    case AttrKind::kFunction: return writer.WriteSignedVarint(value[0]);
    case AttrKind::kBool: return writer.WriteByte(static_cast<uint8_t>(value[0]));
    case AttrKind::kEnum: return writer.WriteVarint(static_cast<uint64_t>(value[0]));
    case AttrKind::kList: break;
  }
  writer.WriteVarint(value.size());
  for (const int64_t element : value) writer.WriteSignedVarint(element);
}

void WriteInstruction(const Instruction& instruction, ByteWriter& writer) {
  const OpInfo& info = InfoOf(instruction.op);
  writer.WriteVarint(static_cast<uint64_t>(instruction.op));
  if (info.min_operands != info.max_operands) writer.WriteVarint(instruction.operands.size());
  for (const ValueId operand : instruction.operands) writer.WriteVarint(operand);
  for (size_t i = 0; i < info.attributes.size(); ++i) {
    WriteAttribute(info.attributes[i], instruction.attributes[i], writer);
  }
}

}  // namespace

void WriteShape(const Shape& shape, ByteWriter& writer) {
  writer.WriteVarint(static_cast<uint64_t>(shape.rank()));
  for (const int64_t dim : shape.dims()) writer.WriteVarint(static_cast<uint64_t>(dim));
}

void WriteFunction(const Function& function, ByteWriter& writer) {
  writer.WriteVarint(function.params.size());
  for (const TensorType& param : function.params) {
    WriteShape(param.shape, writer);
    writer.WriteSignedVarint(param.interval.lo);
    writer.WriteSignedVarint(param.interval.hi);
  }
  writer.WriteVarint(function.body.size());
  for (const Instruction& instruction : function.body) WriteInstruction(instruction, writer);
  writer.WriteVarint(function.results.size());
  for (const ValueId result : function.results) writer.WriteVarint(result);
}

}  // namespace tally
