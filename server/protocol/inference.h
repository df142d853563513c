// A request for inference and its answer, in whatever way they travel.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash/digest.h"
#include "server/protocol/datatype.h"

namespace tally::server {

// The elements of a tensor: packed, row-major, little-endian; a BOOL is a byte.
struct InputTensor {
  std::string name;
  Datatype datatype = Datatype::kInt8;
  std::vector<int64_t> shape;
  std::string_view data;  // in the request's `bytes`; not of the size of the shape unless somebody looks
};

struct RequestedOutput {
  std::string name;
  std::optional<bool> binary;        // in bytes after the JSON
  std::optional<Datatype> datatype;  // FP32, or that of the model's metadata
};

// How much a receipt says; the claim has the digests of inputs and results in any case.
enum class ReceiptKind {
  kNone,
  kIo,     // no more than that
  kTrace,  // the digest of the trace, by which the answer can be disputed
};

struct InferRequest {
  std::string model, version;  // an empty version: the latest
  std::string id;              // the client's, which the answer repeats
  std::vector<InputTensor> inputs;
  std::vector<RequestedOutput> outputs;  // empty: all
  bool binary_outputs = false;           // those that say nothing else
  ReceiptKind receipt = ReceiptKind::kNone;
  std::optional<Digest> nonce;        // for the receipt
  std::optional<int64_t> timeout_us;  // from its arrival on
  std::deque<std::string> bytes;      // the body, and elements that did not travel as bytes
};

struct OutputTensor {
  std::string name;
  Datatype datatype = Datatype::kInt8;
  std::vector<int64_t> shape;
  std::string data;
  bool binary = false;
};

struct InferResponse {
  std::string model, version, id;
  std::vector<OutputTensor> outputs;
  std::string claim;    // its id in hexadecimal digits; empty where no receipt was asked for
  std::string receipt;  // the text of the file
  bool cached = false;  // it was not run for this request
};

}  // namespace tally::server
