#include "frontends/onnx/export/export_onnx.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "frontends/onnx/export/operators.h"
#include "frontends/onnx/model/labels.h"
#include "ops/control/attrs.h"

namespace tally::onnx {
namespace {

constexpr int64_t kOpset = 17, kIrVersion = 8;

// A module of few instructions can call a function very often, and forms hold lists as long as an axis.
constexpr int64_t kMostInstructions = int64_t{1} << 20;
constexpr int64_t kMostElements = int64_t{1} << 28;

// Lists and constants that forms make have room for those of a network, and for some copies of the module's
// constants.
int64_t MostMade(const Module& module) {
  int64_t elements = int64_t{1} << 22;
  for (const TensorView& constant : module.constants) elements += 4 * constant.shape.num_elements();
  return elements;
}

// The instructions of the entry, those of a function as often as it is called; more than kMostInstructions
// stay one more.
int64_t CountInstructions(const Module& module) {
  std::vector<int64_t> counts(module.functions.size(), 0);
  for (size_t i = counts.size(); i-- > 0;) {  // functions name those after them
    for (const Instruction& instruction : module.functions[i].body) {
      const bool is_call = instruction.op == Opcode::kCall;
      counts[i] += 1;
      if (is_call) counts[i] += counts[Unpack<CallAttrs>(instruction.attributes).function];
      counts[i] = std::min(counts[i], kMostInstructions + 1);
    }
  }
  return counts[0];
}

std::string Note(const ValueInfo& info) {
  if (!info.quantization) return "";
  const Quantization& q = *info.quantization;
  return absl::StrCat("real = (integer - ", q.zero_point, ") * ", q.multiplier, " * 2^", -q.shift);
}

std::vector<std::string> OuterNames(const Metadata& metadata) {
  std::vector<std::string> names;
  for (const auto& list : {metadata.params, metadata.results}) {
    for (const ValueInfo& info : list) names.push_back(info.name);
  }
  return names;
}

class ModuleExporter {
 public:
  explicit ModuleExporter(const ValidModule& valid)
      : valid_(valid), names_(OuterNames(valid.module().metadata)), g_(names_, MostMade(valid.module())) {}

  ExportedOnnx Export() && {
    exported_.instructions = CountInstructions(valid_.module());
    if (exported_.instructions > kMostInstructions) {
      exported_.refused[{"call", "with its calls the module has more than 2^20 instructions"}] = 1;
      return std::move(exported_);
    }
    exported_.instructions = 0;
    const Metadata& metadata = valid_.module().metadata;
    Wires params;
    for (size_t i = 0; i < valid_.entry().params.size(); ++i) {
      const ValueInfo& info = metadata.params[i];
      params.push_back(g_.Input(info.name, valid_.entry().params[i], Note(info)));
    }
    const Wires results = Write(0, std::move(params));
    if (exported_.refused.empty()) {
      g_.Begin("output");
      for (size_t i = 0; i < results.size(); ++i) {
        const ValueInfo& info = metadata.results[i];
        g_.Output(info.name, results[i], valid_.functions()[0].results[i], Note(info));
      }
    }
    exported_.model.set_ir_version(kIrVersion);
    exported_.model.set_producer_name("tally");
    auto* opset = exported_.model.add_opset_import();
    opset->set_domain("");
    opset->set_version(kOpset);
    *exported_.model.mutable_graph() = std::move(g_).Finish();
    exported_.model.mutable_graph()->set_name("module");
    return std::move(exported_);
  }

 private:
  // The body of function `number`; its results.
  Wires Write(size_t number, Wires values) {
    const Function& function = valid_.module().functions[number];
    for (size_t i = 0; i < function.body.size(); ++i) {
      for (Wire& result : WriteInstruction(number, i, values)) values.push_back(std::move(result));
    }
    Wires results;
    for (const ValueId id : function.results) results.push_back(values[id]);
    return results;
  }

  Wires WriteInstruction(size_t number, size_t position, const Wires& values) {
    const Instruction& instruction = valid_.module().functions[number].body[position];
    const FunctionFacts& facts = valid_.functions()[number];
    const InstructionFacts& proven = facts.instructions[position];
    if (instruction.op == Opcode::kConstant) {
      return {GraphWriter::Borrow(valid_.module().constants[instruction.attributes[0][0]])};
    }
    Wires operands;
    std::vector<TensorType> operand_types;
    for (const ValueId id : instruction.operands) {
      operands.push_back(values[id]);
      operand_types.push_back(facts.types[id]);
    }
    if (instruction.op == Opcode::kCall) {
      return Write(static_cast<size_t>(Unpack<CallAttrs>(instruction.attributes).function),
                   std::move(operands));
    }
    const std::span<const TensorType> results(facts.types.data() + proven.first_result,
                                              static_cast<size_t>(proven.num_results));
    ExportContext context = {g_, instruction, operands, operand_types, results, proven.accumulator};
    return WriteForm(context);
  }

  // Values of the proven types stand for those of an instruction that is refused, so that the rest is looked
  // at too.
  Wires WriteForm(ExportContext& c) {
    const std::string name(InfoOf(c.instruction.op).name);
    const ExportRow* row = FindExportRow(c.instruction.op);
    const auto refuse = [&](const std::string& reason) {
      ++exported_.refused[{name, reason}];
      Wires placeholders;
      for (const TensorType& type : c.results) {
        placeholders.push_back({"refused", ::onnx::TensorProto::INT64, type.shape, type.interval});
      }
      return placeholders;
    };
    g_.Begin(absl::StrCat(exported_.instructions++, " ", name));
    if (row == nullptr) return refuse("it has no exact form of ONNX's operators");
    for (const TensorType& type : c.results) {
      if (type.shape.num_elements() > kMostElements) return refuse("it has more than 2^28 elements");
    }
    Wires results = row->write(c);
    if (!g_.refusal().empty()) return refuse(g_.refusal());
    ++exported_.exact;
    return results;
  }

  const ValidModule& valid_;
  const std::vector<std::string> names_;
  GraphWriter g_;
  ExportedOnnx exported_;
};

}  // namespace

ExportedOnnx ExportOnnx(const ValidModule& module) { return ModuleExporter(module).Export(); }

absl::StatusOr<std::string> OnnxFile(const ExportedOnnx& exported) {
  if (!exported.refused.empty()) {
    std::string message = absl::StrCat(exported.instructions - exported.exact, " of ", exported.instructions,
                                       " instructions have no exact form in ONNX: ");
    const char* separator = "";
    for (const auto& [what, count] : exported.refused) {
      message += absl::StrCat(separator, what.first, " (", count, "): ", what.second);
      separator = "; ";
    }
    return MakeError(label::onnx_export, message);
  }
  constexpr size_t kMostBytes = std::numeric_limits<int32_t>::max();
  const size_t bytes = exported.model.ByteSizeLong();
  if (bytes > kMostBytes)
    return MakeError(label::onnx_size, absl::StrCat("the model takes ", bytes, " bytes"));
  return exported.model.SerializeAsString();
}

}  // namespace tally::onnx
