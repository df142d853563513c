#include "frontends/cvm/graph.h"

#include <set>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/declared.h"
#include "frontends/cvm/fields.h"
#include "frontends/cvm/infer_node.h"
#include "frontends/cvm/labels.h"
#include "frontends/cvm/operators.h"
#include "frontends/cvm/storage.h"
#include "vm/limits.h"

namespace tally::cvm {
namespace {

constexpr std::string_view kVersion100 = "cvm_1.0.0", kVersion110 = "cvm_1.1.0";
constexpr size_t kMaxPostprocessBytes = 32;  // cvm-runtime's buffer

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
      status = MakeError(label::cvm_operator,
                         absl::StrCat("'", PrintableStart(kind), "' is neither null nor cvm_op"));
    }
    if (status.ok()) {
      graph_.nodes.push_back(std::move(node));
      return status;
    }
    return WithMessage(status, absl::StrCat("node ", graph_.nodes.size(), " '", PrintableStart(node.name),
                                            "' (", kind == "null" ? "variable" : PrintableStart(func_name),
                                            "): ", status.message()));
  }

  absl::Status AddHeads(const Json& heads) {
    if (heads.empty()) return MakeError(label::cvm_entry, "the graph has no heads");
    for (const Json& head : heads) {
      ASSIGN_OR_RETURN(const size_t entry, EntryOf(head));
      graph_.heads.push_back(entry);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Graph> Finish() && {
    RETURN_IF_ERROR(CheckLength("shape", declared_.shapes.size(), graph_.entries.size()));
    RETURN_IF_ERROR(CheckLength("op_attrs", declared_.op_attrs.size(), graph_.nodes.size()));
    if (!names_.contains("data")) return MakeError(label::cvm_name, "no variable is named data");
    return std::move(graph_);
  }

 private:
  absl::Status ReadVariable(const Json& json, Node& node) {
    if (const Json* attrs = FindField(json, "attrs")) RETURN_IF_ERROR(CheckNodeAttrs(*attrs));
    ASSIGN_OR_RETURN(const Json* inputs, Field(json, "inputs", Json::value_t::array));
    if (!inputs->empty()) return MakeError(label::cvm_operands, "a variable has no inputs");
    if (node.name.empty() || !names_.insert(node.name).second) {
      return MakeError(label::cvm_name,
                       node.name.empty() ? "a variable needs a name" : "the name stands twice");
    }
    if (node.name == "data") graph_.data = graph_.nodes.size();
    node.first_entry = graph_.entries.size();
    ASSIGN_OR_RETURN(const size_t entry, NextDeclared());
    const int64_t precision = declared_.precisions[entry];
    if (precision < 1 || precision > kCvmMaxPrecision) {
      return MakeError(label::cvm_declared_precision,
                       absl::StrCat("precision ", precision, " is not 1 to 32"));
    }
    return AddEntry(declared_.shapes[entry], static_cast<int>(precision));
  }

  absl::Status ReadOperator(const Json& json, Node& node, std::string& func_name) {
    ASSIGN_OR_RETURN(const Json* attrs, Field(json, "attrs", Json::value_t::object));
    RETURN_IF_ERROR(CheckNodeAttrs(*attrs));
    ASSIGN_OR_RETURN(func_name, StringField(*attrs, "func_name"));
    node.op = FindOperator(func_name);
    if (!node.op) return MakeError(label::cvm_operator, "CVM has no such operator");
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
        return MakeError(label::cvm_declared_precision,
                         absl::StrCat("precision ", precision, " is neither -1 nor 1 to 32"));
      }
      if (declared_.shapes[entry] != result.shape) {
        return MakeError(label::cvm_declared_shape,
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
      if (!value.is_string()) return MakeError(label::cvm_key, "a field of a node's attrs is not a string");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<AttributeTexts> OpAttrs(size_t node) const {
    if (node >= declared_.op_attrs.size()) {
      return MakeError(label::cvm_count,
                       absl::StrCat("op_attrs has only ", declared_.op_attrs.size(), " items"));
    }
    ASSIGN_OR_RETURN(const Json json, ParseStrictJson(declared_.op_attrs[node]));
    if (!json.is_object()) return MakeError(label::cvm_key, "op_attrs is not an object");
    AttributeTexts texts;
    for (const auto& [name, value] : json.items()) {
      if (!value.is_string())
        return MakeError(label::cvm_key,
                         absl::StrCat("op_attrs: ", PrintableStart(name), " is not a string"));
      texts[name] = value.get<std::string>();
    }
    return texts;
  }

  // An entry by [node, index] or [node, index, version].
  absl::StatusOr<size_t> EntryOf(const Json& reference) const {
    ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, Ints(reference, "a reference to a value"));
    if (numbers.size() != 2 && numbers.size() != 3) {
      return MakeError(label::cvm_key, "a reference to a value is not [node, index, version]");
    }
    if (numbers[0] < 0 || numbers[0] >= std::ssize(graph_.nodes)) {
      return MakeError(label::cvm_entry, absl::StrCat("node ", numbers[0], " is not one of the ",
                                                      graph_.nodes.size(), " before"));
    }
    const Node& node = graph_.nodes[static_cast<size_t>(numbers[0])];
    const int results = node.op ? InfoOf(*node.op).results : 1;
    if (numbers[1] < 0 || numbers[1] >= results) {
      return MakeError(label::cvm_entry, absl::StrCat("node ", numbers[0], " has no result ", numbers[1]));
    }
    return node.first_entry + static_cast<size_t>(numbers[1]);
  }

  absl::StatusOr<size_t> NextDeclared() const {
    const size_t entry = graph_.entries.size();
    if (entry < declared_.shapes.size()) return entry;
    return MakeError(label::cvm_count, absl::StrCat("shape has only ", declared_.shapes.size(), " items"));
  }

  absl::Status AddEntry(const Shape& shape, int precision) {
    const int64_t storage_id = declared_.storage_ids[graph_.entries.size()];
    if (storage_id < 0)
      return MakeError(label::cvm_storage, absl::StrCat("storage_id ", storage_id, " is negative"));
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
    return MakeError(label::cvm_index, "arg_nodes does not list the variables in their order");
  ASSIGN_OR_RETURN(const Json* row_ptr, Field(root, "node_row_ptr", Json::value_t::array));
  ASSIGN_OR_RETURN(const std::vector<int64_t> rows, Ints(*row_ptr, "node_row_ptr"));
  if (rows != first_entries) {
    return MakeError(label::cvm_index,
                     "node_row_ptr does not list the first value of each node and the number of values");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadVersion(const Json& root) {
  ASSIGN_OR_RETURN(const std::string version, OptionalStringField(root, "version", kVersion100));
  if (version == kVersion100 || version == kVersion110) return version;
  return MakeError(label::cvm_version,
                   absl::StrCat("'", PrintableStart(version), "' is neither cvm_1.0.0 nor cvm_1.1.0"));
}

absl::StatusOr<std::string> ReadPostprocess(const Json& root) {
  ASSIGN_OR_RETURN(const std::string name, OptionalStringField(root, "postprocess", ""));
  if (name.size() <= kMaxPostprocessBytes) return name;
  return MakeError(label::cvm_postprocess, absl::StrCat("a name of ", name.size(), " bytes"));
}

}  // namespace

absl::StatusOr<Graph> ParseGraph(std::string_view json) {
  ASSIGN_OR_RETURN(const Json root, ParseStrictJson(json));
  RETURN_IF_ERROR(
      CheckKeys(root, {"nodes", "heads", "attrs", "arg_nodes", "node_row_ptr", "version", "postprocess"}));
  ASSIGN_OR_RETURN(const std::string version, ReadVersion(root));
  ASSIGN_OR_RETURN(const std::string postprocess, ReadPostprocess(root));
  ASSIGN_OR_RETURN(const Json* attrs, Field(root, "attrs", Json::value_t::object));
  ASSIGN_OR_RETURN(Declared declared, ReadDeclared(*attrs, version == kVersion100));
  ASSIGN_OR_RETURN(const Json* nodes, Field(root, "nodes", Json::value_t::array));
  ASSIGN_OR_RETURN(const Json* heads, Field(root, "heads", Json::value_t::array));
  if (std::ssize(*nodes) > kMaxInstructions) {
    return MakeError(label::cvm_count, absl::StrCat(nodes->size(), " nodes, more than ", kMaxInstructions));
  }
  GraphReader reader(std::move(declared));
  for (const Json& node : *nodes) RETURN_IF_ERROR(reader.Add(node));
  RETURN_IF_ERROR(reader.AddHeads(*heads));
  ASSIGN_OR_RETURN(Graph graph, std::move(reader).Finish());
  graph.version = version;
  graph.postprocess = postprocess;
  if (version == kVersion100) RETURN_IF_ERROR(CheckIndex(root, graph));
  RETURN_IF_ERROR(CheckStorage(graph));
  return graph;
}

}  // namespace tally::cvm
