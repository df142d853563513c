#include "frontends/cvm/export_cvm.h"

#include <deque>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "frontends/cvm/labels.h"
#include "frontends/cvm/operators.h"
#include "frontends/cvm/params.h"

namespace tally::cvm {
namespace {

using Json = nlohmann::ordered_json;

// Entries of CVM are the values of the module in the same order: the input, then the results of each
// instruction.
class GraphWriter {
 public:
  explicit GraphWriter(const ValidModule& module) : module_(module) { AddVariable("data"); }

  void Add(const Instruction& instruction) {
    if (instruction.op == Opcode::kConstant) return AddConstant();
    Json inputs = Json::array();
    std::vector<Shape> operands;
    for (const ValueId operand : instruction.operands) {
      inputs.push_back(references_[operand]);
      operands.push_back(module_.types()[operand].shape);
    }
    const OpInfo& info = InfoOf(instruction.op);
    const std::string name(info.name);
    AddNode({{"op", "cvm_op"},
             {"name", absl::StrCat(name, "_", references_.size())},
             {"attrs", {{"func_name", name}}},
             {"inputs", inputs}},
            Json(WriteAttributes(instruction.op, instruction.attributes, operands)).dump(), info.results);
  }

  ModelFiles Finish() && {
    Json root = {{"version", "cvm_1.0.0"},
                 {"postprocess", ""},
                 {"nodes", nodes_},
                 {"arg_nodes", variables_},
                 {"node_row_ptr", first_entries_},
                 {"heads", Json::array({references_[module_.entry().results[0]]})},
                 {"attrs", Attrs()}};
    root["node_row_ptr"].push_back(references_.size());
    return {root.dump(), WriteParams(params_)};
  }

 private:
  void AddNode(Json node, std::string op_attrs, int results) {
    const size_t index = nodes_.size();
    nodes_.push_back(std::move(node));
    op_attrs_.push_back(std::move(op_attrs));
    first_entries_.push_back(references_.size());
    for (int result = 0; result < results; ++result) references_.push_back(Json::array({index, result, 0}));
  }

  void AddVariable(const std::string& name) {
    variables_.push_back(nodes_.size());
    AddNode({{"op", "null"}, {"name", name}, {"inputs", Json::array()}}, "{}", 1);
  }

  void AddConstant() {
    const TensorView& constant = *module_.constant(static_cast<ValueId>(references_.size()));
    names_.push_back(absl::StrCat("constant_", references_.size()));
    arrays_.push_back(
        Tensor::Copy(constant, constant.storage == Storage::kI8 ? Storage::kI8 : Storage::kI32));
    params_.push_back({names_.back(), arrays_.back().view()});
    AddVariable(names_.back());
  }

  Json Attrs() const {
    Json shapes = Json::array(), precisions = Json::array(), buffers = Json::array(), types = Json::array();
    for (size_t entry = 0; entry < references_.size(); ++entry) {
      shapes.push_back(module_.types()[entry].shape.dims());
      precisions.push_back(module_.precisions()[entry]);
      buffers.push_back(entry);
      types.push_back("int32");
    }
    return {{"shape", {"list_shape", shapes}},
            {"precision", {"list_int", precisions}},
            {"storage_id", {"list_int", buffers}},
            {"dltype", {"list_str", types}},
            {"op_attrs", {"list_str", op_attrs_}}};
  }

  const ValidModule& module_;
  Json nodes_ = Json::array(), variables_ = Json::array(), first_entries_ = Json::array(),
       op_attrs_ = Json::array();
  std::vector<Json> references_;   // by entry
  std::deque<std::string> names_;  // params_ refers to names and arrays by address
  std::deque<Tensor> arrays_;
  std::vector<Param> params_;
};

}  // namespace

absl::StatusOr<ModelFiles> ExportCvm(const ValidModule& module) {
  const Function& entry = module.entry();
  if (module.module().profile != Profile::kCvm) {
    return MakeError(label::cvm_export,
                     "the module is of profile core; CVM has the operators of profile cvm");
  }
  if (entry.params.size() != 1 || entry.results.size() != 1) {
    return MakeError(label::cvm_export, absl::StrCat("a CVM model has one input and one result, the module ",
                                                     entry.params.size(), " and ", entry.results.size()));
  }
  GraphWriter writer(module);
  for (const Instruction& instruction : entry.body) writer.Add(instruction);
  return std::move(writer).Finish();
}

}  // namespace tally::cvm
