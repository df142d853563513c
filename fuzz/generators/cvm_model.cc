#include "fuzz/generators/cvm_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "frontends/cvm/export_cvm.h"
#include "frontends/cvm/graph.h"
#include "frontends/cvm/params.h"
#include "fuzz/generators/values.h"
#include "ops/control/attrs.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

using Json = nlohmann::json;

// The entry of `module` with its first parameter alone: random constants take the places of the others.
Module WithOneParameter(EntropySource& e, const Module& module) {
  ModuleBuilder b(Profile::kCvm);
  const Function& entry = module.entry();
  const TensorType bit = {*Shape::Create({1}), {-1, 1}};
  std::vector<ValueId> values = {b.Param("data", entry.params.empty() ? bit : entry.params[0])};
  if (entry.params.empty()) values.clear();
  for (size_t i = 1; i < entry.params.size(); ++i)
    values.push_back(b.Constant(RandomTensor(e, entry.params[i])));
  for (const Instruction& instruction : entry.body) {
    if (instruction.op == Opcode::kConstant) {
      const TensorView& constant = module.constants[Unpack<ConstantAttrs>(instruction.attributes).index];
      values.push_back(b.Constant(Tensor::Copy(constant, constant.storage)));
      continue;
    }
    std::vector<ValueId> operands;
    for (const ValueId operand : instruction.operands) operands.push_back(values[operand]);
    const ValueId first = b.Emit(instruction.op, std::move(operands), instruction.attributes);
    for (int r = 0; r < InfoOf(instruction.op).results; ++r) values.push_back(first + r);
  }
  b.Result("output", values.empty() ? 0 : values[entry.results[0]]);
  return std::move(b).Build();
}

int64_t RowsOf(const Shape& shape) { return shape.num_elements() / shape[shape.rank() - 1]; }

// Up to three heads of as many rows, and a postprocess that suits them.
void ChooseHeads(EntropySource& e, Json& root) {
  const cvm::Graph graph = *cvm::ParseGraph(root.dump());
  std::vector<std::pair<size_t, size_t>> results;  // node and index, by entry
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    const int count = graph.nodes[node].op ? InfoOf(*graph.nodes[node].op).results : 1;
    for (int index = 0; index < count; ++index) results.emplace_back(node, index);
  }
  std::vector<size_t> heads = {static_cast<size_t>(e.Between(0, std::ssize(results) - 1))};
  for (int64_t more = e.Between(0, 2); more > 0; --more) {
    const auto entry = static_cast<size_t>(e.Between(0, std::ssize(results) - 1));
    if (RowsOf(graph.entries[entry].shape) == RowsOf(graph.entries[heads[0]].shape)) heads.push_back(entry);
  }
  root["heads"] = Json::array();
  for (const size_t head : heads) {
    root["heads"].push_back(Json::array({results[head].first, results[head].second, 0}));
  }
  const bool one = heads.size() == 1;
  root["postprocess"] = e.Pick<const char*>({"", one ? "argmax" : "detection", "detection", "custom"});
}

std::string Respell(EntropySource& e, std::string text) {
  const bool tuple = text.front() == '(';
  if (tuple && e.OneIn(3)) text.front() = '[', text.back() = ']';
  if (tuple && text.size() > 3 && text[text.size() - 2] == ',' && e.OneIn(2)) {
    text = text.substr(1, text.size() - 3);  // "(3,)"
  }
  if (e.OneIn(3)) std::erase(text, ' ');
  if ((tuple || text.find_first_not_of("-0123456789") == std::string::npos) && e.OneIn(3)) text = " " + text;
  if ((text == "True" || text == "False") && e.OneIn(2)) text = text == "True" ? "1" : "false";
  return text;
}

// Gives results the buffers of values that nobody reads any more.
void ShareBuffers(EntropySource& e, Json& root) {
  const cvm::Graph graph = *cvm::ParseGraph(root.dump());
  std::vector<size_t> last_read(graph.entries.size(), 0);  // by node
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const size_t input : graph.nodes[i].inputs) last_read[input] = i;
  }
  for (const size_t head : graph.heads) last_read[head] = graph.nodes.size();
  Json& buffers = root["attrs"]["storage_id"][1];
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const cvm::Node& node = graph.nodes[i];
    if (!node.op || InfoOf(*node.op).results > 1 || !e.OneIn(2)) continue;
    for (size_t j = 0; j < i; ++j) {
      const size_t old = graph.nodes[j].first_entry;
      const bool is_weight = !graph.nodes[j].op && j != graph.data;
      if (is_weight || last_read[old] >= i || last_read[old] == 0) continue;
      buffers[node.first_entry] = buffers[old];
      last_read[old] = graph.nodes.size();  // taken
      break;
    }
  }
}

// Every value in the tree.
void Collect(Json& value, std::vector<Json*>& all) {
  all.push_back(&value);
  for (Json& child : value) {
    if (value.is_structured()) Collect(child, all);
  }
}

void DamageTree(EntropySource& e, CvmModel& model) {
  Json root = Json::parse(model.graph, nullptr, false);
  if (root.is_discarded()) return;
  std::vector<Json*> all;
  Collect(root, all);
  Json& victim = *e.PickFrom(all);
  switch (e.Between(0, 5)) {
    case 0: victim = e.Pick<int64_t>({0, -1, 1, 2, 33, int64_t{1} << 24, int64_t{1} << 32, INT64_MIN}); break;
    case 1: victim = *e.PickFrom(all); break;
    case 2: victim = e.Pick<const char*>({"", "null", "cvm_op", "data", "{}", "(1, 0)", "relu"}); break;
    case 3: victim = nullptr; break;
    case 4:
      if (victim.is_array() && !victim.empty())
        victim.erase(static_cast<size_t>(e.Between(0, std::ssize(victim) - 1)));
      break;
    case 5:
      if (victim.is_array() && !victim.empty()) victim.push_back(e.PickFrom(victim));
      break;
  }
  model.graph = root.dump();
}

template <typename Bytes>
void DamageBytes(EntropySource& e, Bytes& bytes) {
  const int64_t size = std::ssize(bytes);
  if (size == 0) return;
  const auto at = static_cast<size_t>(e.Between(0, size - 1));
  switch (e.Between(0, 2)) {
    case 0: bytes[at] = static_cast<typename Bytes::value_type>(e.Between(0, 255)); break;
    case 1: bytes.resize(at); break;
    case 2: bytes.insert(bytes.begin() + static_cast<int64_t>(at), bytes[at]); break;
  }
}

}  // namespace

CvmModel GenerateCvmModel(EntropySource& e, const GeneratorOptions& options) {
  GeneratorOptions cvm_options = options;
  cvm_options.profile = Profile::kCvm;
  const Module module = GenerateModule(e, cvm_options);
  cvm::ModelFiles files = *cvm::ExportCvm(*Validate(WithOneParameter(e, module)));
  Json root = Json::parse(files.graph);
  ChooseHeads(e, root);
  return {root.dump(), std::move(files.params)};
}

void RespellCvmModel(EntropySource& e, CvmModel& model) {
  Json root = Json::parse(model.graph);
  ShareBuffers(e, root);
  for (Json& node : root["nodes"]) {
    if (node.contains("attrs") && e.OneIn(2)) {
      Json& name = node["attrs"]["func_name"];
      name = name.get<std::string>() + "_" + std::to_string(e.Between(0, 99));
    }
    if (e.OneIn(4)) node["precision"] = e.Between(-1, 40);
  }
  for (Json& texts : root["attrs"]["op_attrs"][1]) {
    Json attributes = Json::parse(texts.get<std::string>());
    for (Json& text : attributes) text = Respell(e, text.get<std::string>());
    if (e.OneIn(4)) attributes["__note__"] = "nothing";
    texts = attributes.dump();
  }
  if (e.OneIn(2)) {
    root["version"] = "cvm_1.1.0";
    for (const char* key : {"arg_nodes", "node_row_ptr"}) root.erase(key);
    root["attrs"].erase("dltype");
  }
  model.graph = root.dump(e.OneIn(2) ? 1 : -1);

  std::vector<cvm::Param> params = *cvm::ReadParams(model.params);
  std::vector<Tensor> wide;
  wide.reserve(params.size());
  for (cvm::Param& param : params) {
    if (!e.OneIn(2)) continue;
    wide.push_back(Tensor::Copy(param.array, Storage::kI32));
    param.array = wide.back().view();
  }
  std::reverse(params.begin(), params.end());
  model.params = cvm::WriteParams(params);
}

void DamageCvmModel(EntropySource& e, CvmModel& model) {
  switch (e.Between(0, 4)) {
    case 0: return DamageBytes(e, model.graph);
    case 1: return DamageBytes(e, model.params);
    default: return DamageTree(e, model);
  }
}

}  // namespace tally
