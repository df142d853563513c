// The objects of proofs against an independent implementation (conformance/oracle/proof.py).
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "proof/receipt/bounds.h"
#include "proof/receipt/io_map.h"
#include "proof/receipt/origin.h"
#include "proof/receipt/receipt.h"
#include "proof/trace/trace.h"

namespace tally {
namespace {

using Json = nlohmann::json;

// One document for the whole test: loops go over parts of it.
const Json& Vectors() {
  static const Json vectors = [] {
    std::ifstream file("proof/vectors/objects.json");
    return Json::parse(file);
  }();
  return vectors;
}

std::vector<uint8_t> Bytes(const Json& hex) {
  const auto text = hex.get<std::string>();
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

Digest DigestOf(const Json& hex) { return *ParseDigest(hex.get<std::string>()); }

Interval IntervalOf(const Json& ends) { return {ends[0].get<int64_t>(), ends[1].get<int64_t>()}; }

Claim ClaimOf(const Json& c) {
  const Json& fields = c["fields"];
  Claim claim{.gas = fields["gas"].get<uint64_t>(), .results = {}, .limit = {}};
  claim.module = DigestOf(fields["module"]);
  claim.inputs = DigestOf(fields["inputs"]);
  claim.bounds = DigestOf(fields["bounds"]);
  claim.status = fields["status"].get<std::string>();
  if (fields.contains("results")) claim.results = DigestOf(fields["results"]);
  if (fields.contains("limit")) claim.limit = fields["limit"].get<uint64_t>();
  return claim;
}

TEST(ProofVectors, IoMaps) {
  for (const Json& c : Vectors()["io_maps"]) {
    std::vector<Digest> tensors;
    for (const Json& digest : c["tensors"]) tensors.push_back(DigestOf(digest));
    EXPECT_EQ(EncodeIoMap(tensors), Bytes(c["bytes"]));
    EXPECT_EQ(ToHex(IoMapDigest(tensors)), c["digest"]);
    EXPECT_EQ(*DecodeIoMap(Bytes(c["bytes"])), tensors);
  }
}

TEST(ProofVectors, Bounds) {
  for (const Json& c : Vectors()["bounds"]) {
    ModuleBounds bounds{
        .gas = c["gas"].get<uint64_t>(), .arena_bytes = c["arena_bytes"].get<uint64_t>(), .functions = {}};
    for (const Json& body : c["functions"]) {
      auto& function = bounds.functions.emplace_back();
      for (const Json& instruction : body) {
        std::vector<TensorType> types;
        for (const Json& result : instruction[1]) {
          types.push_back({*Shape::Create(result[1].get<std::vector<int64_t>>()), IntervalOf(result[2])});
          EXPECT_EQ(static_cast<int>(types.back().storage()), result[0]);
        }
        function.push_back({IntervalOf(instruction[0]), std::move(types)});
      }
    }
    EXPECT_EQ(EncodeBounds(bounds), Bytes(c["bytes"]));
    EXPECT_EQ(ToHex(BoundsDigest(bounds)), c["digest"]);
    EXPECT_EQ(*DecodeBounds(Bytes(c["bytes"])), bounds);
  }
}

TEST(ProofVectors, Claims) {
  for (const Json& c : Vectors()["claims"]) {
    const Claim claim = ClaimOf(c);
    EXPECT_EQ(EncodeClaim(claim), Bytes(c["bytes"]));
    EXPECT_EQ(ToHex(ClaimId(claim)), c["id"]);
    EXPECT_EQ(*DecodeClaim(Bytes(c["bytes"])), claim);
  }
}

TEST(ProofVectors, Receipts) {
  for (const Json& c : Vectors()["receipts"]) {
    const SigningKey key = *SigningKey::FromPem(c["private_key"].get<std::string>());
    EXPECT_EQ(key.public_key().ToPem(), c["public_key"]);
    EXPECT_EQ(ToHex(key.public_key().id()), c["key"]);
    ReceiptCore core;
    core.issued_at = c["issued_at"].get<uint64_t>();
    for (const auto& [name, field] : {std::pair("nonce", &core.nonce), std::pair("trace", &core.trace),
                                      std::pair("origin", &core.origin)}) {
      if (!c[name].is_null()) *field = DigestOf(c[name]);
    }
    const Receipt receipt = SignReceipt(ClaimOf(c["claim"]), core, key);
    EXPECT_EQ(EncodeReceiptCore(receipt.core), Bytes(c["core"]));
    EXPECT_EQ(ToHex(ReceiptId(receipt.core)), c["id"]);
    EXPECT_EQ(ToHex(receipt.signature), c["signature"]);
    EXPECT_EQ(ToJson(receipt), c["file"]);
    EXPECT_TRUE(ReceiptFromJson(c["file"].get<std::string>()).ok());
  }
}

TEST(ProofVectors, Traces) {
  for (const Json& c : Vectors()["traces"]) {
    TraceFile file{.claim = DigestOf(c["claim"]), .trace = {}};
    for (const Json& entry : c["entries"]) {
      TraceEntry& added = file.trace.emplace_back();
      for (const Json& site : entry[0])
        added.path.push_back({site[0].get<int64_t>(), site[1].get<int64_t>()});
      added.id = entry[1].get<ValueId>();
      added.value = DigestOf(entry[2]);
    }
    EXPECT_EQ(EncodeTraceFile(file), Bytes(c["bytes"]));
    EXPECT_EQ(ToHex(TraceDigest(file.trace)), c["digest"]);
    EXPECT_EQ(*DecodeTraceFile(Bytes(c["bytes"])), file);
  }
}

TEST(ProofVectors, Origins) {
  for (const Json& c : Vectors()["origins"]) {
    const auto origin = OriginFromJson(c["file"].get<std::string>());
    ASSERT_TRUE(origin.ok()) << origin.status();
    EXPECT_EQ(ToHex(OriginDigest(*origin)), c["digest"]);
  }
}

TEST(ProofVectors, BytesThatNoEncoderWritesAreRefused) {
  for (const Json& c : Vectors()["refused"]) {
    const std::vector<uint8_t> bytes = Bytes(c["bytes"]);
    const absl::Status status = c["object"] == "io_map"   ? DecodeIoMap(bytes).status()
                                : c["object"] == "bounds" ? DecodeBounds(bytes).status()
                                : c["object"] == "trace"  ? DecodeTraceFile(bytes).status()
                                : c["object"] == "claim"  ? DecodeClaim(bytes).status()
                                                          : DecodeReceiptCore(bytes).status();
    EXPECT_EQ(ErrorLabel(status), c["label"]) << c["object"] << ": " << c["what"];
  }
}

}  // namespace
}  // namespace tally
