#include "frontends/cvm/graph.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/fields.h"
#include "frontends/cvm/infer_node.h"
#include "frontends/cvm/operators.h"
#include "frontends/cvm/storage.h"
#include "frontends/printable.h"
#include "vm/limits.h"

namespace tally::cvm {
namespace {

constexpr std::string_view kVersion100 = "cvm_1.0.0", kVersion110 = "cvm_1.1.0";
constexpr size_t kMaxPostprocessBytes = 32;  // cvm-runtime's buffer

// What the file declares about its values and nodes.
struct Declared {
  std::vector<Shape> shapes;  // by entry
  std::vector<int64_t> precisions;
  std::vector<int64_t> storage_ids;
  std::vector<std::string> op_attrs;  // by node
};

absl::Status CheckLength(std::string_view what, size_t length, size_t expected) {
  if (length == expected) return absl::OkStatus();
  return MakeError("cvm_count", absl::StrCat(ToAbsl(what), " has ", length, " items, not ", expected));
}

absl::StatusOr<std::vector<int64_t>> TaggedInts(const Json& parent, std::string_view key) {
  ASSIGN_OR_RETURN(const Json* list, TaggedList(parent, key, "list_int"));
  return Ints(*list, key);
}

absl::StatusOr<Declared> ReadDeclared(const Json& attrs, bool types_required) {
  RETURN_IF_ERROR(
      CheckKeys(attrs, {"shape", "storage_id", "op_attrs", "precision", "dltype", "device_index", "dtype"}));
  Declared declared;
  ASSIGN_OR_RETURN(const Json* shapes, TaggedList(attrs, "shape", "list_shape"));
  for (const Json& dims : *shapes) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> values, Ints(dims, "a shape"));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Create(values));
    declared.shapes.push_back(shape);
  }
  ASSIGN_OR_RETURN(declared.storage_ids, TaggedInts(attrs, "storage_id"));
  ASSIGN_OR_RETURN(declared.precisions, TaggedInts(attrs, "precision"));
  ASSIGN_OR_RETURN(const Json* op_attrs, TaggedList(attrs, "op_attrs", "list_str"));
  ASSIGN_OR_RETURN(declared.op_attrs, Strings(*op_attrs, "op_attrs"));
  const size_t count = declared.shapes.size();
  RETURN_IF_ERROR(CheckLength("storage_id", declared.storage_ids.size(), count));
  RETURN_IF_ERROR(CheckLength("precision", declared.precisions.size(), count));
  if (types_required || FindField(attrs, "dltype") != nullptr) {
    ASSIGN_OR_RETURN(const Json* types, TaggedList(attrs, "dltype", "list_str"));
    RETURN_IF_ERROR(CheckLength("dltype", types->size(), count));
    if (std::any_of(types->begin(), types->end(), [](const Json& type) { return type != "int32"; })) {
      return MakeError("cvm_key", "a type of dltype is not int32");
    }
  }
  if (FindField(attrs, "device_index") != nullptr) {
    ASSIGN_OR_RETURN(const Json* devices, TaggedList(attrs, "device_index", "list_int"));
    RETURN_IF_ERROR(CheckLength("device_index", devices->size(), 0));
  }
  return declared;
}

// Reads nodes one after the other; each sees the entries of those before it.
class GraphReader {
 public:
  explicit GraphReader(Declared declared) : declared_(std::move(declared)) {}

  absl::Status Add(const Json& json) {
    RETURN_IF_ERROR(CheckKeys(json, {"op", "name", "inputs", "attrs", "precision"}));
    Node node;
    ASSIGN_OR_RETURN(node.name, StringField(json, "name"));
    ASSIGN_OR_RETURN(const std::string kind, StringField(json, "op"));
    absl::Status status;
    std::string func_name;
    if (kind == "null") {
      status = ReadVariable(json, node);
    } else if (kind == "cvm_op") {
      status = ReadOperator(json, node, func_name);
    } else {
      status = MakeError("cvm_operator", absl::StrCat("'", Printable(kind), "' is neither null nor cvm_op"));
    }
    if (status.ok()) {
      graph_.nodes.push_back(std::move(node));
      return status;
    }
    return MakeError(
        ErrorLabel(status),
        absl::StrCat("node ", graph_.nodes.size(), " '", Printable(node.name), "' (",
                     kind == "null" ? "variable" : Printable(func_name), "): ", status.message()));
  }

  // An entry by [node, index] or [node, index, version].
  absl::StatusOr<size_t> EntryOf(const Json& reference) const {
    ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, Ints(reference, "a reference to a value"));
    if (numbers.size() != 2 && numbers.size() != 3) {
      return MakeError("cvm_key", "a reference to a value is not [node, index, version]");
    }
    if (numbers[0] < 0 || numbers[0] >= std::ssize(graph_.nodes)) {
      return MakeError("cvm_entry", absl::StrCat("node ", numbers[0], " is not one of the ",
                                                 graph_.nodes.size(), " before"));
    }
    const Node& node = graph_.nodes[static_cast<size_t>(numbers[0])];
    const int results = node.op ? InfoOf(*node.op).results : 1;
    if (numbers[1] < 0 || numbers[1] >= results) {
      return MakeError("cvm_entry", absl::StrCat("node ", numbers[0], " has no result ", numbers[1]));
    }
    return node.first_entry + static_cast<size_t>(numbers[1]);
  }

  absl::StatusOr<Graph> Finish() && {
    RETURN_IF_ERROR(CheckLength("shape", declared_.shapes.size(), graph_.entries.size()));
    RETURN_IF_ERROR(CheckLength("op_attrs", declared_.op_attrs.size(), graph_.nodes.size()));
    if (!names_.contains("data")) return MakeError("cvm_name", "no variable is named data");
    return std::move(graph_);
  }

 private:
  absl::Status ReadVariable(const Json& json, Node& node) {
    if (const Json* attrs = FindField(json, "attrs")) RETURN_IF_ERROR(CheckNodeAttrs(*attrs));
    ASSIGN_OR_RETURN(const Json* inputs, Field(json, "inputs", Json::value_t::array));
    if (!inputs->empty()) return MakeError("cvm_operands", "a variable has no inputs");
    if (node.name.empty() || !names_.insert(node.name).second) {
      return MakeError("cvm_name", node.name.empty() ? "a variable needs a name" : "the name stands twice");
    }
    if (node.name == "data") graph_.data = graph_.nodes.size();
    node.first_entry = graph_.entries.size();
    ASSIGN_OR_RETURN(const size_t entry, NextDeclared());
    const int64_t precision = declared_.precisions[entry];
    if (precision < 1 || precision > kCvmMaxPrecision) {
      return MakeError("cvm_declared_precision", absl::StrCat("precision ", precision, " is not 1 to 32"));
    }
    return AddEntry(declared_.shapes[entry], static_cast<int>(precision));
  }

  absl::Status ReadOperator(const Json& json, Node& node, std::string& func_name) {
    ASSIGN_OR_RETURN(const Json* attrs, Field(json, "attrs", Json::value_t::object));
    RETURN_IF_ERROR(CheckNodeAttrs(*attrs));
    ASSIGN_OR_RETURN(func_name, StringField(*attrs, "func_name"));
    node.op = FindOperator(func_name);
    if (!node.op) return MakeError("cvm_operator", "CVM has no such operator");
    ASSIGN_OR_RETURN(const Json* inputs, Field(json, "inputs", Json::value_t::array));
    for (const Json& input : *inputs) {
      ASSIGN_OR_RETURN(const size_t entry, EntryOf(input));
      node.inputs.push_back(entry);
    }
    node.first_entry = graph_.entries.size();
    ASSIGN_OR_RETURN(const AttributeTexts texts, OpAttrs(graph_.nodes.size()));
    ASSIGN_OR_RETURN(const std::vector<Entry> results, InferNode(graph_.entries, texts, node));
    for (const Entry& result : results) {
      ASSIGN_OR_RETURN(const size_t entry, NextDeclared());
      const int64_t precision = declared_.precisions[entry];
      if (precision != -1 && (precision < 1 || precision > kCvmMaxPrecision)) {
        return MakeError("cvm_declared_precision",
                         absl::StrCat("precision ", precision, " is neither -1 nor 1 to 32"));
      }
      if (declared_.shapes[entry] != result.shape) {
        return MakeError("cvm_declared_shape",
                         absl::StrCat("declared as ", declared_.shapes[entry].ToString(), ", inferred as ",
                                      result.shape.ToString()));
      }
      RETURN_IF_ERROR(AddEntry(result.shape, result.precision));
    }
    return absl::OkStatus();
  }

  static absl::Status CheckNodeAttrs(const Json& attrs) {
    RETURN_IF_ERROR(CheckKeys(attrs, {"func_name", "num_inputs", "num_outputs", "flatten_data", "op_attrs"}));
    for (const Json& value : attrs) {
      if (!value.is_string()) return MakeError("cvm_key", "a field of a node's attrs is no string");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<AttributeTexts> OpAttrs(size_t node) const {
    if (node >= declared_.op_attrs.size()) {
      return MakeError("cvm_count", absl::StrCat("op_attrs has only ", declared_.op_attrs.size(), " items"));
    }
    ASSIGN_OR_RETURN(const Json json, ParseStrictJson(declared_.op_attrs[node]));
    if (!json.is_object()) return MakeError("cvm_key", "op_attrs is no object");
    AttributeTexts texts;
    for (const auto& [name, value] : json.items()) {
      if (!value.is_string())
        return MakeError("cvm_key", absl::StrCat("op_attrs: ", Printable(name), " is no string"));
      texts[name] = value.get<std::string>();
    }
    return texts;
  }

  absl::StatusOr<size_t> NextDeclared() const {
    const size_t entry = graph_.entries.size();
    if (entry < declared_.shapes.size()) return entry;
    return MakeError("cvm_count", absl::StrCat("shape has only ", declared_.shapes.size(), " items"));
  }

  absl::Status AddEntry(const Shape& shape, int precision) {
    const int64_t storage_id = declared_.storage_ids[graph_.entries.size()];
    if (storage_id < 0)
      return MakeError("cvm_storage", absl::StrCat("storage_id ", storage_id, " is negative"));
    RETURN_IF_ERROR(CheckEntry(shape, precision));
    graph_.entries.push_back({shape, precision, storage_id});
    return absl::OkStatus();
  }

  Declared declared_;
  Graph graph_;
  std::set<std::string> names_;
};

// Only cvm_1.0.0 carries these; cvm_1.1.0 says to compute them.
absl::Status CheckIndex(const Json& root, const Graph& graph) {
  std::vector<int64_t> variables, first_entries;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!graph.nodes[i].op) variables.push_back(static_cast<int64_t>(i));
    first_entries.push_back(static_cast<int64_t>(graph.nodes[i].first_entry));
  }
  first_entries.push_back(static_cast<int64_t>(graph.entries.size()));
  ASSIGN_OR_RETURN(const Json* arg_nodes, Field(root, "arg_nodes", Json::value_t::array));
  ASSIGN_OR_RETURN(const std::vector<int64_t> listed, Ints(*arg_nodes, "arg_nodes"));
  if (listed != variables)
    return MakeError("cvm_index", "arg_nodes does not list the variables in their order");
  ASSIGN_OR_RETURN(const Json* row_ptr, Field(root, "node_row_ptr", Json::value_t::array));
  ASSIGN_OR_RETURN(const std::vector<int64_t> rows, Ints(*row_ptr, "node_row_ptr"));
  if (rows != first_entries) {
    return MakeError("cvm_index",
                     "node_row_ptr does not list the first value of each node and the number of values");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Graph> ParseGraph(std::string_view json) {
  ASSIGN_OR_RETURN(const Json root, ParseStrictJson(json));
  RETURN_IF_ERROR(
      CheckKeys(root, {"nodes", "heads", "attrs", "arg_nodes", "node_row_ptr", "version", "postprocess"}));
  std::string version(kVersion100), postprocess;
  if (FindField(root, "version") != nullptr) {
    ASSIGN_OR_RETURN(version, StringField(root, "version"));
  }
  if (version != kVersion100 && version != kVersion110) {
    return MakeError("cvm_version",
                     absl::StrCat("'", Printable(version), "' is neither cvm_1.0.0 nor cvm_1.1.0"));
  }
  if (FindField(root, "postprocess") != nullptr) {
    ASSIGN_OR_RETURN(postprocess, StringField(root, "postprocess"));
  }
  if (postprocess.size() > kMaxPostprocessBytes) {
    return MakeError("cvm_postprocess", absl::StrCat("a name of ", postprocess.size(), " bytes"));
  }
  ASSIGN_OR_RETURN(const Json* attrs, Field(root, "attrs", Json::value_t::object));
  ASSIGN_OR_RETURN(Declared declared, ReadDeclared(*attrs, version == kVersion100));
  ASSIGN_OR_RETURN(const Json* nodes, Field(root, "nodes", Json::value_t::array));
  if (std::ssize(*nodes) > kMaxInstructions) {
    return MakeError("cvm_count", absl::StrCat(nodes->size(), " nodes, more than ", kMaxInstructions));
  }
  GraphReader reader(std::move(declared));
  for (const Json& node : *nodes) RETURN_IF_ERROR(reader.Add(node));
  ASSIGN_OR_RETURN(const Json* heads, Field(root, "heads", Json::value_t::array));
  if (heads->empty()) return MakeError("cvm_entry", "the graph has no heads");
  std::vector<size_t> head_entries;
  for (const Json& head : *heads) {
    ASSIGN_OR_RETURN(const size_t entry, reader.EntryOf(head));
    head_entries.push_back(entry);
  }
  ASSIGN_OR_RETURN(Graph graph, std::move(reader).Finish());
  graph.heads = std::move(head_entries);
  graph.version = version;
  graph.postprocess = std::move(postprocess);
  if (version == kVersion100) RETURN_IF_ERROR(CheckIndex(root, graph));
  RETURN_IF_ERROR(CheckStorage(graph));
  return graph;
}

}  // namespace tally::cvm
