#include "proof/trace/trace_entry.h"

#include <limits>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "serializer/hash_domain.h"
#include "vm/limits.h"

namespace tally {
namespace {

// An unsigned number of at most `limit`.
absl::StatusOr<uint64_t> ReadNumber(CborReader& reader, uint64_t limit) {
  ASSIGN_OR_RETURN(const uint64_t number, reader.ReadUnsigned());
  if (number <= limit) return number;
  return MakeError(label::trace_entry,
                   absl::StrCat(number, " in an entry, where at most ", limit, " may be"));
}

}  // namespace

void WriteTraceEntry(CborWriter& writer, const TraceEntry& entry) {
  writer.WriteArray(3);
  writer.WriteArray(entry.path.size());
  for (const CallSite& site : entry.path) {
    writer.WriteArray(2);
    writer.WriteInt(site.step);
    writer.WriteInt(site.invocation);
  }
  writer.WriteUnsigned(entry.id);
  writer.WriteBytes(entry.value);
}

absl::StatusOr<TraceEntry> ReadTraceEntry(CborReader& reader) {
  TraceEntry entry;
  RETURN_IF_ERROR(reader.ExpectArray(3));
  ASSIGN_OR_RETURN(const uint64_t depth, reader.ReadArray());
  if (depth >= kMaxCallDepth) return MakeError(label::trace_entry, absl::StrCat(depth, " calls"));
  for (uint64_t i = 0; i < depth; ++i) {
    CallSite site;
    RETURN_IF_ERROR(reader.ExpectArray(2));
    ASSIGN_OR_RETURN(site.step, ReadNumber(reader, kMaxInstructions));
    ASSIGN_OR_RETURN(site.invocation, ReadNumber(reader, std::numeric_limits<int64_t>::max()));
    entry.path.push_back(site);
  }
  ASSIGN_OR_RETURN(const uint64_t id, ReadNumber(reader, std::numeric_limits<ValueId>::max()));
  entry.id = static_cast<ValueId>(id);
  ASSIGN_OR_RETURN(entry.value, reader.ReadDigest());
  return entry;
}

std::vector<uint8_t> EncodeTraceEntry(const TraceEntry& entry) {
  CborWriter writer;
  WriteTraceEntry(writer, entry);
  return writer.Take();
}

absl::StatusOr<TraceEntry> DecodeTraceEntry(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  ASSIGN_OR_RETURN(TraceEntry entry, ReadTraceEntry(reader));
  RETURN_IF_ERROR(reader.ExpectEnd());
  return entry;
}

Digest TraceDigestOf(uint64_t entries, const Digest& root) {
  CborWriter writer;
  writer.WriteMap(3);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kTraceVersion);
  writer.WriteUnsigned(2);
  writer.WriteUnsigned(entries);
  writer.WriteUnsigned(3);
  writer.WriteBytes(root);
  return HashInDomain(HashDomain::kTrace, writer.Take());
}

}  // namespace tally
