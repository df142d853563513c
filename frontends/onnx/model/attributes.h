// The attributes of one node, each read once by name and type; an attribute that nobody has read is an error.
//
//   ASSIGN_OR_RETURN(const int64_t group, attributes.Int("group", 1));
//   attributes.Ignore("momentum");
//   RETURN_IF_ERROR(attributes.CheckAllRead());
//
// Errors: model_malformed              a name occurs twice, or an attribute has another type than asked for
//         model_unsupported_attribute  CheckAllRead found one that nobody has read
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// An attribute, or a value of one, that is not read. Error: model_unsupported_attribute.
absl::Status UnsupportedAttribute(std::string_view message);

class Attributes {
 public:
  // Refers to `node`, which must outlive the result.
  static absl::StatusOr<Attributes> Of(const ::onnx::NodeProto& node);

  // The value, or `fallback` when the node does not have the attribute.
  absl::StatusOr<int64_t> Int(std::string_view name, int64_t fallback);
  absl::StatusOr<bool> Bool(std::string_view name, bool fallback);  // an int of 0 or 1
  absl::StatusOr<float> Float(std::string_view name, float fallback);
  absl::StatusOr<std::string> String(std::string_view name, std::string_view fallback);
  absl::StatusOr<std::optional<std::vector<int64_t>>> Ints(std::string_view name);
  absl::StatusOr<std::optional<std::vector<float>>> Floats(std::string_view name);
  absl::StatusOr<std::optional<std::vector<std::string>>> Strings(std::string_view name);

  // The attribute itself, read by this, or nullptr.
  const ::onnx::AttributeProto* Find(std::string_view name);

  // For an attribute that changes nothing here.
  void Ignore(std::string_view name) { Find(name); }

  absl::Status CheckAllRead() const;

 private:
  using Type = ::onnx::AttributeProto::AttributeType;
  absl::StatusOr<const ::onnx::AttributeProto*> FindOfType(std::string_view name, Type type);

  struct Entry {
    const ::onnx::AttributeProto* attribute;
    bool is_read;
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace tally::onnx
