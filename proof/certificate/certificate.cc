#include "proof/certificate/certificate.h"

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "proof/labels.h"
#include "proof/receipt/io_map.h"
#include "serializer/cbor_reader.h"
#include "serializer/cbor_writer.h"
#include "serializer/hash_domain.h"

namespace tally {
namespace {

constexpr uint64_t kVersion = 1;

// How the leaves of each kind of tree are written and read.
void Write(CborWriter& writer, const TraceEntry& entry) { WriteTraceEntry(writer, entry); }
void Write(CborWriter& writer, const Digest& digest) { writer.WriteBytes(digest); }
void Write(CborWriter& writer, const std::vector<uint8_t>& bytes) { writer.WriteBytes(bytes); }

absl::Status Read(CborReader& reader, TraceEntry* entry) {
  ASSIGN_OR_RETURN(*entry, ReadTraceEntry(reader));
  return absl::OkStatus();
}
absl::Status Read(CborReader& reader, Digest* digest) {
  ASSIGN_OR_RETURN(*digest, reader.ReadDigest());
  return absl::OkStatus();
}
absl::Status Read(CborReader& reader, std::vector<uint8_t>* bytes) {
  ASSIGN_OR_RETURN(const auto read, reader.ReadBytes());
  bytes->assign(read.begin(), read.end());
  return absl::OkStatus();
}

template <typename Item>
void WriteNumbered(CborWriter& writer, const std::vector<std::pair<uint64_t, Item>>& items) {
  writer.WriteArray(items.size());
  for (const auto& [number, item] : items) {
    writer.WriteArray(2);
    writer.WriteUnsigned(number);
    Write(writer, item);
  }
}

template <typename Item>
absl::Status ReadNumbered(CborReader& reader, std::vector<std::pair<uint64_t, Item>>* items) {
  ASSIGN_OR_RETURN(const uint64_t count, reader.ReadArray());
  for (uint64_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(reader.ExpectArray(2));
    auto& [number, item] = items->emplace_back();
    ASSIGN_OR_RETURN(number, reader.ReadUnsigned());
    RETURN_IF_ERROR(Read(reader, &item));
  }
  return absl::OkStatus();
}

template <typename Leaf>
void WriteTree(CborWriter& writer, const TreeOpening<Leaf>& tree) {
  writer.WriteArray(4);
  writer.WriteUnsigned(tree.count);
  writer.WriteBytes(tree.root);
  WriteNumbered(writer, tree.opened);
  writer.WriteArray(tree.siblings.size());
  for (const Digest& sibling : tree.siblings) writer.WriteBytes(sibling);
}

template <typename Leaf>
absl::Status ReadTree(CborReader& reader, TreeOpening<Leaf>* tree) {
  RETURN_IF_ERROR(reader.ExpectArray(4));
  ASSIGN_OR_RETURN(tree->count, reader.ReadUnsigned());
  ASSIGN_OR_RETURN(tree->root, reader.ReadDigest());
  RETURN_IF_ERROR(ReadNumbered(reader, &tree->opened));
  ASSIGN_OR_RETURN(const uint64_t siblings, reader.ReadArray());
  for (uint64_t i = 0; i < siblings; ++i) {
    ASSIGN_OR_RETURN(tree->siblings.emplace_back(), reader.ReadDigest());
  }
  return absl::OkStatus();
}

void WriteName(CborWriter& writer, const ValueName& name) {
  writer.WriteUnsigned(static_cast<uint64_t>(name.kind));
  writer.WriteUnsigned(name.index);
}

// A number of an enumeration whose last is `last`.
template <typename Enum>
absl::Status ReadEnum(CborReader& reader, Enum last, Enum* value) {
  ASSIGN_OR_RETURN(const uint64_t number, reader.ReadUnsigned());
  if (number > static_cast<uint64_t>(last)) {
    return MakeError(label::certificate_form,
                     absl::StrCat("charge or kind ", number, " is unknown; the last one is ",
                                  static_cast<uint64_t>(last)));
  }
  *value = static_cast<Enum>(number);
  return absl::OkStatus();
}

absl::Status ReadName(CborReader& reader, ValueName* name) {
  RETURN_IF_ERROR(ReadEnum(reader, ValueKind::kConstant, &name->kind));
  ASSIGN_OR_RETURN(name->index, reader.ReadUnsigned());
  return absl::OkStatus();
}

template <typename Object, typename Decode>
absl::Status ReadEmbedded(CborReader& reader, Decode decode, Object* object) {
  ASSIGN_OR_RETURN(const auto bytes, reader.ReadBytes());
  ASSIGN_OR_RETURN(*object, decode(bytes));
  return absl::OkStatus();
}

absl::Status ReadCharge(CborReader& reader, Certificate* c) {
  RETURN_IF_ERROR(reader.ExpectArray(5));
  RETURN_IF_ERROR(ReadEnum(reader, Charge::kElement, &c->charge));
  RETURN_IF_ERROR(ReadName(reader, &c->accused));
  ASSIGN_OR_RETURN(c->element, reader.ReadUnsigned());
  return Read(reader, &c->header);
}

absl::Status ReadColumns(CborReader& reader, ColumnsOpening* columns) {
  RETURN_IF_ERROR(reader.ExpectArray(3));
  ASSIGN_OR_RETURN(columns->entry, reader.ReadUnsigned());
  ASSIGN_OR_RETURN(columns->element, reader.ReadUnsigned());
  return ReadTree(reader, &columns->columns);
}

absl::Status ReadValues(CborReader& reader, std::vector<ValueOpening>* values) {
  ASSIGN_OR_RETURN(const uint64_t count, reader.ReadArray());
  for (uint64_t i = 0; i < count; ++i) {
    ValueOpening& value = values->emplace_back();
    RETURN_IF_ERROR(reader.ExpectArray(3));
    RETURN_IF_ERROR(ReadName(reader, &value.name));
    RETURN_IF_ERROR(ReadTree(reader, &value.leaves));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<uint8_t> EncodeCertificate(const Certificate& c) {
  CborWriter writer;
  writer.WriteMap(9u + c.trace.has_value() + c.columns.has_value());
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kVersion);
  uint64_t key = 2;
  for (const auto& object :
       {EncodeClaim(c.claim), EncodeIoMap(c.inputs), EncodeIoMap(c.results), c.program, c.bounds}) {
    writer.WriteUnsigned(key++);
    writer.WriteBytes(object);
  }
  writer.WriteUnsigned(7);
  writer.WriteArray(5);
  writer.WriteUnsigned(static_cast<uint64_t>(c.charge));
  WriteName(writer, c.accused);
  writer.WriteUnsigned(c.element);
  writer.WriteBytes(c.header);
  if (c.trace) {
    writer.WriteUnsigned(8);
    WriteTree(writer, *c.trace);
  }
  if (c.columns) {
    writer.WriteUnsigned(9);
    writer.WriteArray(3);
    writer.WriteUnsigned(c.columns->entry);
    writer.WriteUnsigned(c.columns->element);
    WriteTree(writer, c.columns->columns);
  }
  writer.WriteUnsigned(10);
  writer.WriteArray(c.values.size());
  for (const ValueOpening& value : c.values) {
    writer.WriteArray(3);
    WriteName(writer, value.name);
    WriteTree(writer, value.leaves);
  }
  writer.WriteUnsigned(11);
  WriteNumbered(writer, c.recipes);
  return writer.Take();
}

absl::StatusOr<Certificate> DecodeCertificate(std::span<const uint8_t> bytes) {
  if (bytes.size() > kMaxCertificateBytes) {
    return MakeError(label::certificate_size,
                     absl::StrCat(bytes.size(), " bytes, where at most ", kMaxCertificateBytes, " may be"));
  }
  CborReader reader(bytes);
  Certificate c;
  ASSIGN_OR_RETURN(const uint64_t fields, reader.ReadMap());
  RETURN_IF_ERROR(reader.ExpectKey(1));
  ASSIGN_OR_RETURN(const uint64_t version, reader.ReadUnsigned());
  if (version != kVersion)
    return MakeError(label::proof_version, absl::StrCat("a certificate of version ", version));
  RETURN_IF_ERROR(reader.ExpectKey(2));
  RETURN_IF_ERROR(ReadEmbedded(reader, DecodeClaim, &c.claim));
  RETURN_IF_ERROR(reader.ExpectKey(3));
  RETURN_IF_ERROR(ReadEmbedded(reader, DecodeIoMap, &c.inputs));
  RETURN_IF_ERROR(reader.ExpectKey(4));
  RETURN_IF_ERROR(ReadEmbedded(reader, DecodeIoMap, &c.results));
  RETURN_IF_ERROR(reader.ExpectKey(5));
  RETURN_IF_ERROR(Read(reader, &c.program));
  RETURN_IF_ERROR(reader.ExpectKey(6));
  RETURN_IF_ERROR(Read(reader, &c.bounds));
  RETURN_IF_ERROR(reader.ExpectKey(7));
  RETURN_IF_ERROR(ReadCharge(reader, &c));
  ASSIGN_OR_RETURN(uint64_t key, reader.ReadUnsigned());
  if (key == 8) {
    RETURN_IF_ERROR(ReadTree(reader, &c.trace.emplace()));
    ASSIGN_OR_RETURN(key, reader.ReadUnsigned());
  }
  if (key == 9) {
    RETURN_IF_ERROR(ReadColumns(reader, &c.columns.emplace()));
    ASSIGN_OR_RETURN(key, reader.ReadUnsigned());
  }
  RETURN_IF_ERROR(CborReader::CheckKey(key, 10));
  RETURN_IF_ERROR(ReadValues(reader, &c.values));
  RETURN_IF_ERROR(reader.ExpectKey(11));
  RETURN_IF_ERROR(ReadNumbered(reader, &c.recipes));
  if (fields != 9u + c.trace.has_value() + c.columns.has_value()) {
    return MakeError(label::certificate_form, absl::StrCat("a certificate of ", fields, " fields"));
  }
  RETURN_IF_ERROR(reader.ExpectEnd());
  return c;
}

Digest ColumnsDigest(const Digest& trace, const ColumnsOpening& columns) {
  CborWriter writer;
  writer.WriteMap(6);
  writer.WriteUnsigned(1);
  writer.WriteUnsigned(kVersion);
  writer.WriteUnsigned(2);
  writer.WriteBytes(trace);
  writer.WriteUnsigned(3);
  writer.WriteUnsigned(columns.entry);
  writer.WriteUnsigned(4);
  writer.WriteUnsigned(columns.element);
  writer.WriteUnsigned(5);
  writer.WriteUnsigned(columns.columns.count);
  writer.WriteUnsigned(6);
  writer.WriteBytes(columns.columns.root);
  return HashInDomain(HashDomain::kColumns, writer.Take());
}

}  // namespace tally
