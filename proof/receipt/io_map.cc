#include "proof/receipt/io_map.h"

#include "base/status_macros.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"
#include "serializer/hash_domain.h"

namespace tally {

std::vector<uint8_t> EncodeIoMap(std::span<const Digest> tensors) {
  CborWriter writer;
  writer.WriteArray(tensors.size());
  for (const Digest& digest : tensors) writer.WriteBytes(digest);
  return writer.Take();
}

absl::StatusOr<std::vector<Digest>> DecodeIoMap(std::span<const uint8_t> bytes) {
  CborReader reader(bytes);
  ASSIGN_OR_RETURN(const uint64_t size, reader.ReadArray());
  std::vector<Digest> tensors;
  for (uint64_t i = 0; i < size; ++i) {
    ASSIGN_OR_RETURN(tensors.emplace_back(), reader.ReadDigest());
  }
  RETURN_IF_ERROR(reader.ExpectEnd());
  return tensors;
}

Digest IoMapDigest(std::span<const Digest> tensors) {
  return HashInDomain(HashDomain::kIoMap, EncodeIoMap(tensors));
}

}  // namespace tally
