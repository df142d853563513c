#include "proof/dispute/messages.h"

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/receipt/io_map.h"
#include "proof/trace/trace_entry.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"

namespace tally {
namespace {

constexpr uint64_t kVersion = 1;

// Field 1 of each message.
void WriteHead(CborWriter& writer, uint64_t fields) {
  writer.WriteMap(fields);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kVersion);
}

absl::Status ReadHead(CborReader& reader, uint64_t fields) {
  RETURN_IF_ERROR(reader.ExpectMap(fields));
  RETURN_IF_ERROR(reader.ExpectKey(1));
  ASSIGN_OR_RETURN(const uint64_t version, reader.ReadUnsigned());
  if (version == kVersion) return absl::OkStatus();
  return MakeError(label::proof_version, absl::StrCat("a message of version ", version));
}

absl::StatusOr<uint64_t> ReadUnsignedAt(CborReader& reader, uint64_t key) {
  RETURN_IF_ERROR(reader.ExpectKey(key));
  return reader.ReadUnsigned();
}

absl::StatusOr<std::vector<uint8_t>> ReadBytesAt(CborReader& reader, uint64_t key) {
  RETURN_IF_ERROR(reader.ExpectKey(key));
  ASSIGN_OR_RETURN(const auto bytes, reader.ReadBytes());
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

void WriteBytesAt(CborWriter& writer, uint64_t key, std::span<const uint8_t> bytes) {
  writer.WriteUnsigned(key);
  writer.WriteBytes(bytes);
}

}  // namespace

Digest DisputeOpening::trace() const { return TraceDigestOf(entries, trace_root); }

std::string_view NameOf(Subject subject) {
  constexpr std::string_view kNames[] = {"trace", "result", "value", "expansion", "columns", "column"};
  return kNames[static_cast<size_t>(subject)];
}

std::vector<uint8_t> EncodeDisputeOpening(const DisputeOpening& opening) {
  CborWriter writer;
  WriteHead(writer, 6);
  WriteBytesAt(writer, 2, EncodeClaim(opening.claim));
  WriteBytesAt(writer, 3, EncodeIoMap(opening.inputs));
  WriteBytesAt(writer, 4, EncodeIoMap(opening.results));
  writer.WriteUnsigned(5);
  writer.WriteUnsigned(opening.entries);
  WriteBytesAt(writer, 6, opening.trace_root);
  return writer.Take();
}

absl::StatusOr<DisputeOpening> DecodeDisputeOpening(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  DisputeOpening opening;
  RETURN_IF_ERROR(ReadHead(reader, 6));
  ASSIGN_OR_RETURN(const auto claim, ReadBytesAt(reader, 2));
  ASSIGN_OR_RETURN(opening.claim, DecodeClaim(claim));
  ASSIGN_OR_RETURN(const auto inputs, ReadBytesAt(reader, 3));
  ASSIGN_OR_RETURN(opening.inputs, DecodeIoMap(inputs));
  ASSIGN_OR_RETURN(const auto results, ReadBytesAt(reader, 4));
  ASSIGN_OR_RETURN(opening.results, DecodeIoMap(results));
  ASSIGN_OR_RETURN(opening.entries, ReadUnsignedAt(reader, 5));
  RETURN_IF_ERROR(reader.ExpectKey(6));
  ASSIGN_OR_RETURN(opening.trace_root, reader.ReadDigest());
  RETURN_IF_ERROR(reader.ExpectEnd());
  return opening;
}

std::vector<uint8_t> EncodeQuery(const Query& query) {
  CborWriter writer;
  WriteHead(writer, 4);
  uint64_t key = 2;
  for (const uint64_t number : {static_cast<uint64_t>(query.subject), query.part.first, query.part.size}) {
    writer.WriteUnsigned(key++);
    writer.WriteUnsigned(number);
  }
  return writer.Take();
}

absl::StatusOr<Query> DecodeQuery(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  Query query;
  RETURN_IF_ERROR(ReadHead(reader, 4));
  ASSIGN_OR_RETURN(const uint64_t subject, ReadUnsignedAt(reader, 2));
  if (subject > static_cast<uint64_t>(Subject::kColumn))
    return MakeError(label::dispute_message,
                     absl::StrCat("subject ", subject, " is unknown; the last one is ",
                                  static_cast<uint64_t>(Subject::kColumn)));
  query.subject = static_cast<Subject>(subject);
  ASSIGN_OR_RETURN(query.part.first, ReadUnsignedAt(reader, 3));
  ASSIGN_OR_RETURN(query.part.size, ReadUnsignedAt(reader, 4));
  RETURN_IF_ERROR(reader.ExpectEnd());
  return query;
}

std::vector<uint8_t> EncodeAnswer(const Answer& answer) {
  CborWriter writer;
  WriteHead(writer, 5);
  WriteBytesAt(writer, 2, EncodeIoMap(answer.roots));
  writer.WriteUnsigned(3);
  writer.WriteUnsigned(answer.columns);
  WriteBytesAt(writer, 4, answer.leaf);
  WriteBytesAt(writer, 5, answer.header);
  return writer.Take();
}

absl::StatusOr<Answer> DecodeAnswer(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  Answer answer;
  RETURN_IF_ERROR(ReadHead(reader, 5));
  ASSIGN_OR_RETURN(const auto roots, ReadBytesAt(reader, 2));
  ASSIGN_OR_RETURN(answer.roots, DecodeIoMap(roots));
  ASSIGN_OR_RETURN(answer.columns, ReadUnsignedAt(reader, 3));
  ASSIGN_OR_RETURN(answer.leaf, ReadBytesAt(reader, 4));
  ASSIGN_OR_RETURN(answer.header, ReadBytesAt(reader, 5));
  RETURN_IF_ERROR(reader.ExpectEnd());
  return answer;
}

}  // namespace tally
