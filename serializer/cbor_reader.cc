#include "serializer/cbor_reader.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "serializer/labels.h"
#include "vm/metadata_rules.h"

namespace tally {
namespace {

constexpr uint8_t kUnsigned = 0, kNegative = 1, kBytes = 2, kText = 3, kArray = 4, kMap = 5;

absl::Status WrongType(uint8_t found, uint64_t position) {
  return MakeError(label::cbor_type, absl::StrCat("another item than one of major type ", found,
                                                  " belongs in front of byte ", position));
}

}  // namespace

absl::StatusOr<CborReader::Head> CborReader::ReadAnyHead() {
  ASSIGN_OR_RETURN(const uint8_t first, reader_.ReadByte());
  const uint8_t low_bits = first & 0x1f;
  if (low_bits < 24) return Head{static_cast<uint8_t>(first >> 5), low_bits};
  if (low_bits > 27) {
    return MakeError(label::cbor_head,
                     absl::StrCat("the head ", first, " is reserved, or of an indefinite length"));
  }
  const int log2_bytes = low_bits - 24;
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes, reader_.ReadBytes(uint64_t{1} << log2_bytes));
  uint64_t argument = 0;
  for (const uint8_t byte : bytes) argument = argument << 8 | byte;
  const uint64_t least = log2_bytes == 0 ? 24 : uint64_t{1} << (8 << (log2_bytes - 1));
  if (argument < least) {
    return MakeError(label::cbor_not_shortest,
                     absl::StrCat(argument, " is written in ", 1 << log2_bytes, " bytes"));
  }
  return Head{static_cast<uint8_t>(first >> 5), argument};
}

absl::StatusOr<uint64_t> CborReader::ReadHead(uint8_t type) {
  ASSIGN_OR_RETURN(const Head head, ReadAnyHead());
  if (head.type != type) return WrongType(head.type, reader_.position());
  return head.argument;
}

absl::StatusOr<uint64_t> CborReader::ReadUnsigned() { return ReadHead(kUnsigned); }

absl::StatusOr<int64_t> CborReader::ReadInt() {
  ASSIGN_OR_RETURN(const Head head, ReadAnyHead());
  const bool integer = head.type == kUnsigned || head.type == kNegative;
  if (!integer || head.argument > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return WrongType(head.type, reader_.position());
  const auto value = static_cast<int64_t>(head.argument);
  return head.type == kUnsigned ? value : -1 - value;
}

absl::StatusOr<std::span<const uint8_t>> CborReader::ReadBytes() {
  ASSIGN_OR_RETURN(const uint64_t size, ReadHead(kBytes));
  return reader_.ReadBytes(size);
}

absl::StatusOr<Digest> CborReader::ReadDigest() {
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes, ReadBytes());
  Digest digest;
  if (bytes.size() != digest.size()) {
    return MakeError(label::cbor_type,
                     absl::StrCat(bytes.size(), " bytes stand where 32 of a digest belong"));
  }
  std::ranges::copy(bytes, digest.begin());
  return digest;
}

absl::StatusOr<std::string_view> CborReader::ReadText() {
  ASSIGN_OR_RETURN(const uint64_t size, ReadHead(kText));
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes, reader_.ReadBytes(size));
  const std::string_view text = AsText(bytes);
  if (!IsPrintableUtf8(text)) {
    return MakeError(label::bad_text_encoding, "a text is not valid UTF-8 or has control characters");
  }
  return text;
}

absl::StatusOr<uint64_t> CborReader::ReadArray() {
  ASSIGN_OR_RETURN(const uint64_t size, ReadHead(kArray));
  if (size > reader_.remaining())
    return MakeError(label::count_limit, absl::StrCat(size, " items in ", reader_.remaining(), " bytes"));
  return size;
}

absl::StatusOr<uint64_t> CborReader::ReadMap() {
  ASSIGN_OR_RETURN(const uint64_t size, ReadHead(kMap));
  if (size > reader_.remaining() / 2)
    return MakeError(label::count_limit, absl::StrCat(size, " pairs in ", reader_.remaining(), " bytes"));
  return size;
}

absl::Status CborReader::ExpectCount(uint8_t type, uint64_t size) {
  ASSIGN_OR_RETURN(const uint64_t found, ReadHead(type));
  if (found == size) return absl::OkStatus();
  return MakeError(label::cbor_type, absl::StrCat(found, " items stand where ", size, " belong"));
}

absl::Status CborReader::ExpectArray(uint64_t size) { return ExpectCount(kArray, size); }

absl::Status CborReader::ExpectMap(uint64_t size) { return ExpectCount(kMap, size); }

absl::Status CborReader::ExpectKey(uint64_t key) {
  ASSIGN_OR_RETURN(const uint64_t found, ReadUnsigned());
  return CheckKey(found, key);
}

absl::Status CborReader::CheckKey(uint64_t found, uint64_t key) {
  if (found == key) return absl::OkStatus();
  return MakeError(label::cbor_type, absl::StrCat("key ", found, " stands where ", key, " belongs"));
}

absl::Status CborReader::ExpectEnd() {
  if (reader_.remaining() == 0) return absl::OkStatus();
  return MakeError(label::trailing_bytes, absl::StrCat(reader_.remaining(), " bytes follow"));
}

}  // namespace tally
