#include "frontends/openvino/ir_layer.h"

#include <algorithm>
#include <cctype>

#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/axis.h"

namespace tally::openvino {
namespace {

std::string Lower(std::string word) {
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

// Values that are there by default: of any attribute, or of one of a name. Types of results are integers or
// floats here whatever their width.
struct DefaultValue {
  std::string_view name, value;  // an empty name: any; "*": any value
};
constexpr DefaultValue kDefaults[] = {{"", ""},
                                      {"", "0"},
                                      {"", "false"},
                                      {"", "none"},
                                      {"auto_broadcast", "numpy"},
                                      {"auto_pad", "explicit"},
                                      {"auto_pad", "notset"},
                                      {"dilations", "1"},
                                      {"element_type", "*"},
                                      {"execTimeMcs", "*"},
                                      {"group", "1"},
                                      {"index_element_type", "*"},
                                      {"originalLayersNames", "*"},
                                      {"output_type", "*"},
                                      {"PrimitivesPriority", "*"},
                                      {"rounding_type", "floor"},
                                      {"strides", "1"}};

// Converters up to 2021 copied attributes of Caffe and TensorFlow that no operation of OpenVINO has (eta,
// visualize). The schema of those opsets is read as a whole.
constexpr int64_t kFirstOpsetWithoutLeftovers = 8;

// For a list: whether each of its words does.
bool SaysNothing(std::string_view name, std::string_view value) {
  for (size_t begin = 0; begin <= value.size();) {
    const size_t end = std::min(value.find(',', begin), value.size());
    std::string_view word = value.substr(begin, end - begin);
    while (word.starts_with(' ')) word.remove_prefix(1);
    const bool is_default = std::ranges::any_of(kDefaults, [&](const DefaultValue& row) {
      return (row.name.empty() || row.name == name) && (row.value == "*" || row.value == word);
    });
    if (!is_default) return false;
    begin = end + 1;
  }
  return true;
}

absl::Status At(std::string_view name, const absl::Status& status) {
  return Malformed("attribute " + std::string(name) + ": " + std::string(status.message()));
}

}  // namespace

int64_t IrNode::opset() const {
  const std::string_view version = file_.version;
  if (!version.starts_with("opset")) return 1;
  const auto number = ParseInts(version.substr(5));
  return number.ok() && number->size() == 1 ? number->front() : 1;
}

absl::StatusOr<std::optional<std::string>> IrNode::Find(std::string_view name, bool has_fallback) {
  read_.insert(std::string(name));
  const auto found = file_.data.find(name);
  if (found != file_.data.end()) return std::optional(found->second);
  if (has_fallback) return std::optional<std::string>();
  return Malformed("attribute " + std::string(name) + " is missing");
}

absl::StatusOr<int64_t> IrNode::Int(std::string_view name, std::optional<int64_t> fallback) {
  ASSIGN_OR_RETURN(const auto text, Find(name, fallback.has_value()));
  if (!text.has_value()) return *fallback;
  const auto list = ParseInts(*text);
  if (!list.ok()) return At(name, list.status());
  const bool has_blank = text->find_first_of(" \t\r\n") != std::string::npos;
  if (list->size() == 1 && !has_blank) return list->front();
  return Malformed("attribute " + std::string(name) + " is '" + PrintableStart(*text) + "', not one integer");
}

absl::StatusOr<float> IrNode::Float(std::string_view name, std::optional<float> fallback) {
  ASSIGN_OR_RETURN(const auto text, Find(name, fallback.has_value()));
  if (!text.has_value()) return *fallback;
  const auto list = ParseFloats(*text);
  if (!list.ok()) return At(name, list.status());
  if (list->size() == 1) return list->front();
  return Malformed("attribute " + std::string(name) + " is not one number");
}

absl::StatusOr<bool> IrNode::Flag(std::string_view name, std::optional<bool> fallback) {
  ASSIGN_OR_RETURN(const auto text, Find(name, fallback.has_value()));
  if (!text.has_value()) return *fallback;
  const std::string word = Lower(*text);
  if (word == "true" || word == "1") return true;
  if (word == "false" || word == "0") return false;
  return Malformed("attribute " + std::string(name) + " is " + PrintableStart(word) +
                   ", neither true nor false");
}

absl::StatusOr<std::string> IrNode::Word(std::string_view name, std::optional<std::string> fallback) {
  ASSIGN_OR_RETURN(const auto text, Find(name, fallback.has_value()));
  return text.has_value() ? Lower(*text) : *fallback;
}

absl::StatusOr<std::string> IrNode::Text(std::string_view name) {
  ASSIGN_OR_RETURN(const auto text, Find(name, false));
  return text.value_or("");
}

absl::StatusOr<std::vector<int64_t>> IrNode::Ints(std::string_view name) {
  ASSIGN_OR_RETURN(const auto text, Find(name, true));
  const auto list = ParseInts(text.value_or(""));
  if (!list.ok()) return At(name, list.status());
  return list;
}

absl::StatusOr<std::vector<float>> IrNode::Floats(std::string_view name) {
  ASSIGN_OR_RETURN(const auto text, Find(name, true));
  const auto list = ParseFloats(text.value_or(""));
  if (!list.ok()) return At(name, list.status());
  return list;
}

absl::Status IrNode::CheckTheRest() {
  for (const auto& [name, value] : file_.data) {
    if (read_.contains(name) || SaysNothing(name, Lower(value))) continue;
    const std::string stated = "attribute " + PrintableStart(name) + " is " + PrintableStart(value);
    if (opset() >= kFirstOpsetWithoutLeftovers) {
      return Unsupported(stated + ", and is not read: where it is there by default, remove it from the file");
    }
    Note(stated + ", which operations of this opset do not have");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> IrNode::List(size_t index) const {
  ASSIGN_OR_RETURN(const quant::Int64Tensor* list, IntConstant(index));
  return list->data;
}

absl::StatusOr<int64_t> IrNode::Number(size_t index) const {
  ASSIGN_OR_RETURN(const std::vector<int64_t> list, List(index));
  if (list.size() == 1) return list.front();
  return MakeError(label::model_shape, absl::StrCat("input ", index, " is not one number"));
}

absl::StatusOr<size_t> IrNode::AxisInput(size_t index, size_t rank) const {
  ASSIGN_OR_RETURN(const int64_t given, Number(index));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeAxis(given, rank));
  return static_cast<size_t>(axis);
}

}  // namespace tally::openvino
