#include "proof/trace/trace.h"

#include "base/error.h"
#include "base/hash/merkle.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"
#include "serializer/tensor_digest.h"

namespace tally {
RootObserver RecordInto(Trace& trace) {
  return [&trace](std::span<const CallSite> path, ValueId id, Storage storage, const Shape& shape,
                  const Digest& root) {
    trace.push_back({{path.begin(), path.end()}, id, ValueDigestOf(storage, shape, root)});
  };
}

Digest TraceDigest(const Trace& trace) {
  MerkleTree tree;
  for (const TraceEntry& entry : trace) tree.AddLeaf(EncodeTraceEntry(entry));
  return TraceDigestOf(tree.size(), tree.Root());
}

std::vector<uint8_t> EncodeTraceFile(const TraceFile& file) {
  CborWriter writer;
  writer.WriteMap(3);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kTraceVersion);
  writer.WriteUnsigned(2);
  writer.WriteBytes(file.claim);
  writer.WriteUnsigned(3);
  writer.WriteArray(file.trace.size());
  for (const TraceEntry& entry : file.trace) WriteTraceEntry(writer, entry);
  return writer.Take();
}

absl::StatusOr<TraceFile> DecodeTraceFile(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  TraceFile file;
  RETURN_IF_ERROR(reader.ExpectMap(3));
  RETURN_IF_ERROR(reader.ExpectKey(1));
  ASSIGN_OR_RETURN(const uint64_t version, reader.ReadUnsigned());
  if (version != kTraceVersion)
    return MakeError(label::proof_version, absl::StrCat("a trace of version ", version));
  RETURN_IF_ERROR(reader.ExpectKey(2));
  ASSIGN_OR_RETURN(file.claim, reader.ReadDigest());
  RETURN_IF_ERROR(reader.ExpectKey(3));
  ASSIGN_OR_RETURN(const uint64_t entries, reader.ReadArray());
  for (uint64_t i = 0; i < entries; ++i) {
    ASSIGN_OR_RETURN(file.trace.emplace_back(), ReadTraceEntry(reader));
  }
  RETURN_IF_ERROR(reader.ExpectEnd());
  return file;
}

}  // namespace tally
