#include "proof/certificate/certificate.h"

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
  if (lo > hi) return MakeError(label::certificate_bounds, absl::StrCat("[", lo, ", ", hi, "] is empty"));
  return Interval{lo, hi};
}

absl::StatusOr<InstructionBounds> ReadInstruction(CborReader& reader) {
  RETURN_IF_ERROR(reader.ExpectArray(3));
  InstructionBounds bounds;
  ASSIGN_OR_RETURN(bounds.accumulator, ReadInterval(reader));
  ASSIGN_OR_RETURN(const uint64_t results, reader.ReadArray());
  for (uint64_t i = 0; i < results; ++i) {
    RETURN_IF_ERROR(reader.ExpectArray(2));
    ASSIGN_OR_RETURN(bounds.results.emplace_back(), ReadInterval(reader));
  }
  return bounds;
}

}  // namespace

Certificate CertificateOf(const ValidModule& module) {
  Certificate certificate = {.gas = static_cast<uint64_t>(module.gas()),
                             .arena_bytes = static_cast<uint64_t>(module.arena_bytes()),
                             .functions = {}};
  for (const FunctionFacts& facts : module.functions()) {
    std::vector<InstructionBounds>& function = certificate.functions.emplace_back();
    for (const InstructionFacts& instruction : facts.instructions) {
      InstructionBounds& bounds = function.emplace_back(InstructionBounds{instruction.accumulator, {}});
      for (int i = 0; i < instruction.num_results; ++i)
        bounds.results.push_back(facts.types[instruction.first_result + static_cast<ValueId>(i)].interval);
    }
  }
  return certificate;
}

std::vector<uint8_t> EncodeCertificate(const Certificate& certificate) {
  CborWriter writer;
  writer.WriteMap(3);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(certificate.gas);
  writer.WriteUnsigned(2);
  writer.WriteUnsigned(certificate.arena_bytes);
  writer.WriteUnsigned(3);
  writer.WriteArray(certificate.functions.size());
  for (const std::vector<InstructionBounds>& function : certificate.functions) {
    writer.WriteArray(function.size());
    for (const InstructionBounds& bounds : function) {
      writer.WriteArray(3);
      WriteInterval(writer, bounds.accumulator);
      writer.WriteArray(bounds.results.size());
      for (const Interval& interval : bounds.results) {
        writer.WriteArray(2);
        WriteInterval(writer, interval);
      }
    }
  }
  return writer.Take();
}

absl::StatusOr<Certificate> DecodeCertificate(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  Certificate certificate;
  RETURN_IF_ERROR(reader.ExpectMap(3));
  RETURN_IF_ERROR(reader.ExpectKey(1));
  ASSIGN_OR_RETURN(certificate.gas, reader.ReadUnsigned());
  RETURN_IF_ERROR(reader.ExpectKey(2));
  ASSIGN_OR_RETURN(certificate.arena_bytes, reader.ReadUnsigned());
  RETURN_IF_ERROR(reader.ExpectKey(3));
  ASSIGN_OR_RETURN(const uint64_t functions, reader.ReadArray());
  for (uint64_t f = 0; f < functions; ++f) {
    ASSIGN_OR_RETURN(const uint64_t instructions, reader.ReadArray());
    std::vector<InstructionBounds>& function = certificate.functions.emplace_back();
    for (uint64_t i = 0; i < instructions; ++i) {
      ASSIGN_OR_RETURN(function.emplace_back(), ReadInstruction(reader));
    }
  }
  RETURN_IF_ERROR(reader.ExpectEnd());
  return certificate;
}

Digest CertificateDigest(const Certificate& certificate) {
  return HashInDomain(HashDomain::kCertificate, EncodeCertificate(certificate));
}

}  // namespace tally
