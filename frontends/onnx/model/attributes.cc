#include "frontends/onnx/model/attributes.h"

#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "frontends/onnx/model/labels.h"

namespace tally::onnx {

using ::onnx::AttributeProto;

absl::Status UnsupportedAttribute(std::string_view message) {
  return MakeError(label::model_unsupported_attribute, message);
}

absl::StatusOr<Attributes> Attributes::Of(const ::onnx::NodeProto& node) {
  Attributes attributes;
  for (const AttributeProto& attribute : node.attribute()) {
    if (!attribute.ref_attr_name().empty()) {
      return MakeError(label::model_malformed, "an attribute refers to a function's outside of a function");
    }
    if (!attributes.entries_.insert({attribute.name(), {&attribute, false}}).second) {
      return MakeError(label::model_malformed,
                       "attribute " + PrintableStart(attribute.name()) + " occurs twice");
    }
  }
  return attributes;
}

const AttributeProto* Attributes::Find(std::string_view name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return nullptr;
  found->second.is_read = true;
  return found->second.attribute;
}

absl::StatusOr<const AttributeProto*> Attributes::FindOfType(std::string_view name, Type type) {
  const AttributeProto* attribute = Find(name);
  if (attribute != nullptr && attribute->type() != type) {
    return MakeError(label::model_malformed, "attribute " + std::string(name) + " is not of its type");
  }
  return attribute;
}

absl::StatusOr<int64_t> Attributes::Int(std::string_view name, int64_t fallback) {
  ASSIGN_OR_RETURN(const AttributeProto* attribute, FindOfType(name, AttributeProto::INT));
  return attribute == nullptr ? fallback : attribute->i();
}

absl::StatusOr<bool> Attributes::Bool(std::string_view name, bool fallback) {
  ASSIGN_OR_RETURN(const int64_t value, Int(name, fallback ? 1 : 0));
  if (value != 0 && value != 1) {
    return MakeError(label::model_malformed,
                     "attribute " + std::string(name) + " is " + std::to_string(value) + ", neither 0 nor 1");
  }
  return value == 1;
}

absl::StatusOr<float> Attributes::Float(std::string_view name, float fallback) {
  ASSIGN_OR_RETURN(const AttributeProto* attribute, FindOfType(name, AttributeProto::FLOAT));
  return attribute == nullptr ? fallback : attribute->f();
}

absl::StatusOr<std::string> Attributes::String(std::string_view name, std::string_view fallback) {
  ASSIGN_OR_RETURN(const AttributeProto* attribute, FindOfType(name, AttributeProto::STRING));
  return attribute == nullptr ? std::string(fallback) : attribute->s();
}

absl::StatusOr<std::optional<std::vector<int64_t>>> Attributes::Ints(std::string_view name) {
  ASSIGN_OR_RETURN(const AttributeProto* attribute, FindOfType(name, AttributeProto::INTS));
  if (attribute == nullptr) return std::nullopt;
  return std::vector<int64_t>(attribute->ints().begin(), attribute->ints().end());
}

absl::StatusOr<std::optional<std::vector<float>>> Attributes::Floats(std::string_view name) {
  ASSIGN_OR_RETURN(const AttributeProto* attribute, FindOfType(name, AttributeProto::FLOATS));
  if (attribute == nullptr) return std::nullopt;
  return std::vector<float>(attribute->floats().begin(), attribute->floats().end());
}

absl::StatusOr<std::optional<std::vector<std::string>>> Attributes::Strings(std::string_view name) {
  ASSIGN_OR_RETURN(const AttributeProto* attribute, FindOfType(name, AttributeProto::STRINGS));
  if (attribute == nullptr) return std::nullopt;
  return std::vector<std::string>(attribute->strings().begin(), attribute->strings().end());
}

absl::Status Attributes::CheckAllRead() const {
  for (const auto& [name, entry] : entries_) {
    if (!entry.is_read) {
      return MakeError(label::model_unsupported_attribute,
                       "attribute " + PrintableStart(name) + " is not known");
    }
  }
  return absl::OkStatus();
}

}  // namespace tally::onnx
