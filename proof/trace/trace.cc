#include "proof/trace/trace.h"

#include <limits>
#include <utility>

#include "base/error.h"
#include "base/merkle.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"
#include "serializer/hash_domain.h"
#include "serializer/labels.h"
#include "serializer/tensor_digest.h"
#include "vm/limits.h"

namespace tally {
namespace {

constexpr uint64_t kVersion = 1;

void WriteEntry(CborWriter& writer, const TraceEntry& entry) {
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

// An unsigned number of at most `limit`.
absl::StatusOr<uint64_t> ReadNumber(CborReader& reader, uint64_t limit) {
  ASSIGN_OR_RETURN(const uint64_t number, reader.ReadUnsigned());
  if (number <= limit) return number;
  return MakeError(label::trace_entry,
                   absl::StrCat(number, " in an entry, where at most ", limit, " may be"));
}

absl::StatusOr<TraceEntry> ReadEntry(CborReader& reader) {
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

}  // namespace

RootObserver RecordInto(Trace& trace) {
  return [&trace](std::span<const CallSite> path, ValueId id, Storage storage, const Shape& shape,
                  const Digest& root) {
    trace.push_back({{path.begin(), path.end()}, id, ValueDigestOf(storage, shape, root)});
  };
}

std::vector<uint8_t> EncodeTraceEntry(const TraceEntry& entry) {
  CborWriter writer;
  WriteEntry(writer, entry);
  return writer.Take();
}

Digest TraceDigest(const Trace& trace) {
  MerkleTree tree;
  for (const TraceEntry& entry : trace) tree.AddLeaf(EncodeTraceEntry(entry));
  CborWriter writer;
  writer.WriteMap(3);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kVersion);
  writer.WriteUnsigned(2);
  writer.WriteUnsigned(tree.size());
  writer.WriteUnsigned(3);
  writer.WriteBytes(tree.Root());
  return HashInDomain(HashDomain::kTrace, writer.Take());
}

std::vector<uint8_t> EncodeTraceFile(const TraceFile& file) {
  CborWriter writer;
  writer.WriteMap(3);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kVersion);
  writer.WriteUnsigned(2);
  writer.WriteBytes(file.claim);
  writer.WriteUnsigned(3);
  writer.WriteArray(file.trace.size());
  for (const TraceEntry& entry : file.trace) WriteEntry(writer, entry);
  return writer.Take();
}

absl::StatusOr<TraceFile> DecodeTraceFile(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  TraceFile file;
  RETURN_IF_ERROR(reader.ExpectMap(3));
  RETURN_IF_ERROR(reader.ExpectKey(1));
  ASSIGN_OR_RETURN(const uint64_t version, reader.ReadUnsigned());
  if (version != kVersion)
    return MakeError(label::proof_version, absl::StrCat("a trace of version ", version));
  RETURN_IF_ERROR(reader.ExpectKey(2));
  ASSIGN_OR_RETURN(file.claim, reader.ReadDigest());
  RETURN_IF_ERROR(reader.ExpectKey(3));
  ASSIGN_OR_RETURN(const uint64_t entries, reader.ReadArray());
  for (uint64_t i = 0; i < entries; ++i) {
    ASSIGN_OR_RETURN(file.trace.emplace_back(), ReadEntry(reader));
  }
  RETURN_IF_ERROR(reader.ExpectEnd());
  return file;
}

}  // namespace tally
