#include "frontends/coreml/model_file.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"

namespace tally::coreml {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr int64_t kMostFields = 1 << 20;  // each costs a hundred times its least bytes in memory
constexpr int kDeepest = 64;

enum Wire { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

Wire WireOf(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_FLOAT: return kFixed32;
    case FieldDescriptor::CPPTYPE_DOUBLE: return kFixed64;
    case FieldDescriptor::CPPTYPE_STRING:
    case FieldDescriptor::CPPTYPE_MESSAGE: return kLengthDelimited;
    default: return kVarint;
  }
}

// Walks over the fields of a message without keeping anything, so that what is too much is refused before
// memory is taken for it.
class Walk {
 public:
  explicit Walk(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  absl::Status Message(const Descriptor* type, size_t end, int depth) {
    if (depth > kDeepest) {
      return MakeError(label::model_too_large,
                       absl::StrCat("messages are nested more than ", kDeepest, " deep, at byte ", at_));
    }
    while (at_ < end) {
      if (++num_fields_ > kMostFields) {
        return MakeError(label::model_too_large, absl::StrCat("it has more than ", kMostFields, " fields"));
      }
      const size_t begin = at_;
      ASSIGN_OR_RETURN(const uint64_t tag, Varint(end));
      const auto number = static_cast<int>(std::min<uint64_t>(tag >> 3, std::numeric_limits<int>::max()));
      const auto* field = type == nullptr ? nullptr : type->FindFieldByNumber(number);
      const auto wire = static_cast<Wire>(tag & 7);
      const bool is_packed = field != nullptr && field->is_packable() && wire == kLengthDelimited;
      if (field != nullptr && wire != WireOf(*field) && !is_packed) {
        return Malformed(begin,
                         absl::StrCat("field ", field->name(), " has wire type ", static_cast<int>(wire)));
      }
      RETURN_IF_ERROR(Value(field, wire, begin, end, depth));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Value(const FieldDescriptor* field, Wire wire, size_t begin, size_t end, int depth) {
    switch (wire) {
      case kVarint: return Varint(end).status();
      case kFixed64: return Skip(8, end);
      case kFixed32: return Skip(4, end);
      case kLengthDelimited: {
        ASSIGN_OR_RETURN(const uint64_t length, Varint(end));
        if (length > end - at_) {
          return Malformed(begin,
                           absl::StrCat("a field of ", length, " bytes, of which ", end - at_, " are there"));
        }
        if (field == nullptr || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
          return Skip(length, end);
        return Message(field->message_type(), at_ + length, depth + 1);
      }
    }
    return Malformed(begin, absl::StrCat("wire type ", static_cast<int>(wire)));
  }

  absl::StatusOr<uint64_t> Varint(size_t end) {
    const size_t begin = at_;
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ == end) return Malformed(begin, "a number that ends with its message");
      const uint8_t byte = bytes_[at_++];
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    return Malformed(begin, "a number of more than 10 bytes");
  }

  absl::Status Skip(uint64_t count, size_t end) {
    if (count > end - at_) return Malformed(at_, "a number that ends with its message");
    at_ += count;
    return absl::OkStatus();
  }

  static absl::Status Malformed(size_t at, std::string_view what) {
    return MakeError(label::model_malformed, absl::StrCat("at byte ", at, ": ", std::string(what)));
  }

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  int64_t num_fields_ = 0;
};

// Kinds of models that the schema does not have.
constexpr std::pair<int, std::string_view> kOtherKinds[] = {
    {300, "glmRegressor"},
    {301, "supportVectorRegressor"},
    {302, "treeEnsembleRegressor"},
    {304, "bayesianProbitRegressor"},
    {400, "glmClassifier"},
    {401, "supportVectorClassifier"},
    {402, "treeEnsembleClassifier"},
    {404, "kNearestNeighborsClassifier"},
    {501, "itemSimilarityRecommender"},
    {502, "mlProgram"},
    {555, "customModel"},
    {556, "linkedModel"},
    {560, "classConfidenceThresholding"},
    {600, "oneHotEncoder"},
    {601, "imputer"},
    {602, "featureVectorizer"},
    {603, "dictVectorizer"},
    {604, "scaler"},
    {606, "categoricalMapping"},
    {607, "normalizer"},
    {609, "arrayFeatureExtractor"},
    {900, "identity"},
    {2000, "textClassifier"},
    {2001, "wordTagger"},
    {2002, "visionFeaturePrint"},
    {2003, "soundAnalysisPreprocessing"},
    {2004, "gazetteer"},
    {2005, "wordEmbedding"},
    {2006, "audioFeaturePrint"},
    {3000, "serializedModel"},
};

// The first number that is not below 200, where all before are those of a Core ML model; 0 where there is
// none.
int FirstKind(std::span<const uint8_t> bytes) {
  size_t at = 0;
  const auto varint = [&]() -> uint64_t {
    uint64_t value = 0;
    for (int shift = 0; shift < 63 && at < bytes.size(); shift += 7) {
      const uint8_t byte = bytes[at++];
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    at = bytes.size();
    return 0;
  };
  while (at < bytes.size()) {
    const uint64_t tag = varint(), number = tag >> 3;
    if (number >= 200) return number <= 3000 && (tag & 7) == kLengthDelimited ? static_cast<int>(number) : 0;
    const bool is_known =
        (number == 1 || number == 10) ? (tag & 7) == kVarint : number == 2 && (tag & 7) == kLengthDelimited;
    if (!is_known) return 0;
    const uint64_t value = varint();
    if (number == 2) at = value < bytes.size() - at ? at + value : bytes.size();
  }
  return 0;
}

}  // namespace

bool IsModelFile(std::span<const uint8_t> bytes) { return FirstKind(bytes) != 0; }

absl::StatusOr<std::unique_ptr<coreml_schema::Model>> ReadModelFile(std::span<const uint8_t> bytes) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return MakeError(label::model_too_large, "the file is larger than 2 GiB");
  auto model = std::make_unique<coreml_schema::Model>();
  RETURN_IF_ERROR(Walk(bytes).Message(coreml_schema::Model::descriptor(), bytes.size(), 0));
  if (!model->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return MakeError(label::model_malformed, "the file is not a Core ML model");
  return model;
}

std::string KindOf(const coreml_schema::Model& model) {
  const auto* reflection = model.GetReflection();
  const auto* field =
      reflection->GetOneofFieldDescriptor(model, model.GetDescriptor()->FindOneofByName("type"));
  if (field != nullptr) return field->json_name();
  const auto& unknown = reflection->GetUnknownFields(model);
  for (int i = 0; i < unknown.field_count(); ++i) {
    const int number = unknown.field(i).number();
    const auto* known = std::ranges::find(kOtherKinds, number, &std::pair<int, std::string_view>::first);
    if (known != std::end(kOtherKinds)) return std::string(known->second);
    if (number >= 200) return absl::StrCat("type ", number);
  }
  return "nothing";
}

}  // namespace tally::coreml
