#include "frontends/ncnn/param_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"
#include "frontends/graph/refusals.h"
#include "frontends/ncnn/layer_types.h"

namespace tally::ncnn {
namespace {

constexpr int64_t kMagic = 7767517;
constexpr int kArray = -23300, kString = -23400;  // ids of arrays and strings are -id below these
constexpr int kEnd = -233;

std::string Shown(absl::string_view token) { return PrintableStart({token.data(), token.size()}); }

using frontend::Malformed;

Params::Number OfInt(int32_t value) { return {static_cast<uint32_t>(value)}; }
Params::Number OfFloat(float value) { return {std::bit_cast<uint32_t>(value)}; }

// An integer, or a float where it has a point or an exponent.
absl::StatusOr<Params::Number> NumberOf(absl::string_view token) {
  if (token.find_first_of(".eE") != absl::string_view::npos) {
    float value = 0;
    if (absl::SimpleAtof(token, &value)) return OfFloat(value);
  } else {
    int64_t value = 0;
    // Hashes that are written unsigned have 32 bits too.
    if (absl::SimpleAtoi(token, &value) && value >= INT32_MIN && value <= UINT32_MAX) {
      return OfInt(static_cast<int32_t>(value));
    }
  }
  return Malformed("'" + Shown(token) + "' is not a number");
}

bool IsText(absl::string_view token) {
  if (token.empty()) return false;
  const char first = token.front();
  return first == '"' || (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
}

bool IsParameter(absl::string_view token) {
  int id = 0;
  const size_t sign = token.find('=');
  return sign != absl::string_view::npos && absl::SimpleAtoi(token.substr(0, sign), &id);
}

// "0=64", "10=0.0,6.0" or "-23310=2,0.0,6.0".
absl::Status AddText(absl::string_view token, Params& params) {
  const std::pair<absl::string_view, absl::string_view> pair = absl::StrSplit(token, absl::MaxSplits('=', 1));
  int id = 0;
  if (!IsParameter(token) || !absl::SimpleAtoi(pair.first, &id))
    return Malformed("'" + Shown(token) + "' is not a parameter, such as 0=1");
  if (IsText(pair.second)) {
    absl::string_view text = pair.second;  // which may be in quotation marks
    if (absl::ConsumePrefix(&text, "\"") && !absl::ConsumeSuffix(&text, "\""))
      return Malformed("string " + std::string(pair.first) + " does not end with a quotation mark");
    return params.Add(id, {.text = std::string(text), .is_text = true});
  }
  std::vector<absl::string_view> tokens = absl::StrSplit(pair.second, ',');
  Params::Value value = {.is_array = tokens.size() > 1};
  if (id <= kArray) {
    int64_t count = 0;
    if (!absl::SimpleAtoi(tokens[0], &count) || count != std::ssize(tokens) - 1) {
      return Malformed("array " + std::string(pair.first) + " has another number of elements than it says");
    }
    tokens.erase(tokens.begin());
    id = kArray - id;
    value.is_array = true;
  }
  for (const absl::string_view element : tokens) {
    ASSIGN_OR_RETURN(const Params::Number number, NumberOf(element));
    value.numbers.push_back(number);
  }
  return params.Add(id, std::move(value));
}

absl::Status ReadLayerLine(absl::string_view line, ParamLayer& layer) {
  const std::vector<absl::string_view> tokens =
      absl::StrSplit(line, absl::ByAnyChar(" \t\r\v\f"), absl::SkipEmpty());
  int64_t inputs = 0, outputs = 0;
  if (tokens.size() < 4 || !absl::SimpleAtoi(tokens[2], &inputs) || !absl::SimpleAtoi(tokens[3], &outputs) ||
      inputs < 0 || outputs < 0 || inputs > std::ssize(tokens) - 4 ||
      outputs > std::ssize(tokens) - 4 - inputs) {
    return Malformed("it does not have the blobs that it says");
  }
  for (int64_t i = 0; i < inputs + outputs; ++i) {
    if (IsParameter(tokens[static_cast<size_t>(4 + i)]))
      return Malformed("it says more blobs than it names: '" + Shown(tokens[static_cast<size_t>(4 + i)]) +
                       "' is a parameter");
  }
  layer.type = std::string(tokens[0]);
  layer.name = std::string(tokens[1]);
  const auto blobs = tokens.begin() + 4;
  for (auto blob = blobs; blob != blobs + inputs; ++blob) layer.inputs.emplace_back(*blob);
  for (auto blob = blobs + inputs; blob != blobs + inputs + outputs; ++blob)
    layer.outputs.emplace_back(*blob);
  for (auto token = blobs + inputs + outputs; token != tokens.end(); ++token) {
    RETURN_IF_ERROR(AddText(*token, layer.params));
  }
  return absl::OkStatus();
}

absl::StatusOr<ParamFile> ReadText(absl::string_view text) {
  std::vector<absl::string_view> lines;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.find_first_not_of(" \t\r\v\f") != absl::string_view::npos) lines.push_back(line);
  }
  int64_t layers = 0, blobs = 0;
  const std::vector<absl::string_view> counts =
      lines.size() < 2 ? std::vector<absl::string_view>()
                       : absl::StrSplit(lines[1], absl::ByAnyChar(" \t\r\v\f"), absl::SkipEmpty());
  if (counts.size() != 2 || !absl::SimpleAtoi(counts[0], &layers) || !absl::SimpleAtoi(counts[1], &blobs) ||
      layers < 1 || blobs < 1) {
    return Malformed("the second line is not the number of layers and of blobs");
  }
  if (layers != std::ssize(lines) - 2) {
    return Malformed(absl::StrCat("its second line says ", layers, " layers, and ", lines.size() - 2,
                                  " follow: one of the two is wrong"));
  }
  ParamFile file = {.num_blobs = blobs};
  for (int64_t i = 0; i < layers; ++i) {
    const absl::Status read = ReadLayerLine(lines[static_cast<size_t>(i + 2)], file.layers.emplace_back());
    if (!read.ok()) return WithMessage(read, absl::StrCat("layer ", i, ": ", read.message()));
  }
  return file;
}

class BinaryReader {
 public:
  explicit BinaryReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  absl::StatusOr<int32_t> Next() {
    if (bytes_.size() < 4) return Malformed("the file ends within a layer");
    int32_t value = 0;
    std::memcpy(&value, bytes_.data(), 4);
    bytes_ = bytes_.subspan(4);
    return value;
  }
  // So many numbers of 4 bytes are there.
  absl::Status CheckCount(int64_t count) const {
    if (count >= 0 && count <= std::ssize(bytes_) / 4) return absl::OkStatus();
    return Malformed(absl::StrCat("a count of ", count, " is beyond the end of the file"));
  }

 private:
  std::span<const uint8_t> bytes_;
};

absl::StatusOr<std::vector<std::string>> ReadBlobs(BinaryReader& reader, int64_t count) {
  RETURN_IF_ERROR(reader.CheckCount(count));
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const int32_t blob, reader.Next());
    names.push_back(absl::StrCat("blob", blob));
  }
  return names;
}

absl::Status ReadBinaryParams(BinaryReader& reader, Params& params) {
  while (true) {
    ASSIGN_OR_RETURN(const int32_t id, reader.Next());
    if (id == kEnd) return absl::OkStatus();
    Params::Value value;
    if (id >= 0) {
      ASSIGN_OR_RETURN(const int32_t number, reader.Next());
      value.numbers.push_back(OfInt(number));
      RETURN_IF_ERROR(params.Add(id, std::move(value)));
      continue;
    }
    ASSIGN_OR_RETURN(const int32_t length, reader.Next());
    const bool is_text = id <= kString;
    RETURN_IF_ERROR(reader.CheckCount(is_text ? (int64_t{length} + 3) / 4 : length));
    value.is_array = !is_text;
    value.is_text = is_text;
    for (int64_t i = 0; i < (is_text ? (int64_t{length} + 3) / 4 : int64_t{length}); ++i) {
      ASSIGN_OR_RETURN(const int32_t number, reader.Next());
      if (is_text) {
        value.text.append(reinterpret_cast<const char*>(&number), 4);
      } else {
        value.numbers.push_back(OfInt(number));
      }
    }
    value.text.resize(is_text ? static_cast<size_t>(length) : 0);
    RETURN_IF_ERROR(params.Add((is_text ? kString : kArray) - id, std::move(value)));
  }
}

absl::StatusOr<ParamFile> ReadBinary(std::span<const uint8_t> bytes) {
  BinaryReader reader(bytes.subspan(4));
  ASSIGN_OR_RETURN(const int32_t layers, reader.Next());
  ASSIGN_OR_RETURN(const int32_t blobs, reader.Next());
  RETURN_IF_ERROR(reader.CheckCount(layers));
  RETURN_IF_ERROR(reader.CheckCount(blobs));
  ParamFile file = {.num_blobs = blobs};
  for (int32_t i = 0; i < layers; ++i) {
    ParamLayer& layer = file.layers.emplace_back();
    ASSIGN_OR_RETURN(const int32_t type, reader.Next());
    if (type < 0 || type >= std::ssize(kLayerTypes)) {
      return MakeError(label::model_unsupported_operator,
                       absl::StrCat("layer ", i, " has the type ", type, "; ncnn knows 0 to ",
                                    std::ssize(kLayerTypes) - 1));
    }
    layer.type = kLayerTypes[static_cast<size_t>(type)];
    layer.name = absl::StrCat("layer", i);
    ASSIGN_OR_RETURN(const int32_t inputs, reader.Next());
    ASSIGN_OR_RETURN(const int32_t outputs, reader.Next());
    ASSIGN_OR_RETURN(layer.inputs, ReadBlobs(reader, inputs));
    ASSIGN_OR_RETURN(layer.outputs, ReadBlobs(reader, outputs));
    RETURN_IF_ERROR(ReadBinaryParams(reader, layer.params));
  }
  return file;
}

absl::string_view AsTextOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Layers are known by their place: only blobs have names of their own.
absl::Status CheckBlobs(const ParamFile& file) {
  std::unordered_set<std::string> blobs;
  for (const ParamLayer& layer : file.layers) {
    for (const std::string& output : layer.outputs) {
      if (!blobs.insert(output).second) return Malformed("two layers give '" + PrintableStart(output) + "'");
    }
  }
  if (std::ssize(blobs) == file.num_blobs) return absl::OkStatus();
  return Malformed(absl::StrCat("it says ", file.num_blobs, " blobs, and its layers give ", blobs.size(),
                                ": one of the two is wrong"));
}

}  // namespace

absl::Status Params::Add(int id, Value value) {
  if (id < 0 || id >= kMost)
    return Malformed(absl::StrCat("parameter ", id, " is not from 0 to ", kMost - 1));
  if (values_.emplace(id, std::move(value)).second) return absl::OkStatus();
  return Malformed(absl::StrCat("parameter ", id, " is there twice"));
}

absl::StatusOr<std::vector<int64_t>> Params::Ints(int id) {
  std::vector<int64_t> ints;
  read_.set(static_cast<size_t>(id));
  const auto value = values_.find(id);
  if (value == values_.end()) return ints;
  if (value->second.is_text) return Malformed(absl::StrCat("parameter ", id, " is a string"));
  for (const Number number : value->second.numbers) ints.push_back(static_cast<int32_t>(number.bits));
  return ints;
}

absl::StatusOr<std::vector<float>> Params::Floats(int id) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> bits, Ints(id));
  std::vector<float> floats;
  for (const int64_t b : bits) floats.push_back(std::bit_cast<float>(static_cast<uint32_t>(b)));
  return floats;
}

absl::StatusOr<std::string> Params::Text(int id) {
  read_.set(static_cast<size_t>(id));
  const auto value = values_.find(id);
  if (value == values_.end()) return std::string();
  if (value->second.is_text) return value->second.text;
  return Malformed(absl::StrCat("parameter ", id, " is a number, not a string"));
}

absl::StatusOr<int64_t> Params::Int(int id, int64_t fallback) {
  if (!Has(id)) return fallback;
  ASSIGN_OR_RETURN(const std::vector<int64_t> ints, Ints(id));
  if (ints.size() == 1 && !values_[id].is_array) return ints[0];
  return Malformed(absl::StrCat("parameter ", id, " is an array"));
}

absl::StatusOr<float> Params::Float(int id, float fallback) {
  if (!Has(id)) return fallback;
  ASSIGN_OR_RETURN(const int64_t bits, Int(id, 0));
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}

// Shapes of outputs (30) and features of ncnn's engine (31) say nothing of what a layer computes.
absl::Status Params::CheckAllRead() const {
  for (const auto& [id, value] : values_) {
    const bool says_nothing = std::ranges::all_of(value.numbers, [](Number n) { return n.bits == 0; });
    if (read_.test(static_cast<size_t>(id)) || id >= 30 || (value.text.empty() && says_nothing)) continue;
    return MakeError(label::model_unsupported_attribute, absl::StrCat("parameter ", id, " is not read"));
  }
  return absl::OkStatus();
}

bool IsTextParam(std::span<const uint8_t> file) {
  constexpr absl::string_view kText = "7767517";
  const absl::string_view text = AsTextOf(file);
  return absl::StartsWith(text, kText) && text.size() > kText.size() &&
         (text[kText.size()] == '\n' || text[kText.size()] == '\r');
}

bool IsBinaryParam(std::span<const uint8_t> file) {
  int32_t magic = 0;
  if (file.size() < 4) return false;
  std::memcpy(&magic, file.data(), 4);
  return magic == kMagic;
}

absl::StatusOr<ParamFile> ReadParamFile(std::span<const uint8_t> file) {
  ASSIGN_OR_RETURN(ParamFile read, IsBinaryParam(file) ? ReadBinary(file) : ReadText(AsTextOf(file)));
  RETURN_IF_ERROR(CheckBlobs(read));
  return read;
}

}  // namespace tally::ncnn
