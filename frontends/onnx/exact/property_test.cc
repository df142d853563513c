// Laws of the exact importer on damaged graphs: it never crashes, what it refuses has a label, and what it
// accepts makes a module that validation proves or refuses by a limit. The graphs are ONNX's own node cases.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontends/onnx/exact/fixed_point.h"
#include "frontends/onnx/exact/graph.h"
#include "frontends/onnx/exact/testing/node_case.h"
#include "third_party/onnx/onnx.pb.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally::onnx {
namespace {

using ::onnx::AttributeProto;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

// Those whose inputs can be read.
const std::vector<NodeCase>& Seeds() {
  static const std::vector<NodeCase> seeds = [] {
    std::vector<NodeCase> read;
    std::vector<std::string> names = NodeCaseNames();
    std::ranges::sort(names);  // so that a seed of RapidCheck means the same everywhere
    for (const std::string& name : names) {
      auto node_case = ReadNodeCase(name);
      if (!node_case.ok()) continue;
      const bool readable = std::ranges::all_of(node_case->inputs, [](const auto& tensor) {
        return IsEmpty(tensor) || DecodeFixedPoint(tensor).ok();
      });
      if (readable) read.push_back(*std::move(node_case));
    }
    return read;
  }();
  return seeds;
}

void CheckImport(const NodeCase& node_case) {
  Composition c(Profile::kCore);
  ModuleBuilder builder(Profile::kCore);
  std::vector<MaybeExactValue> inputs;
  std::vector<ValueId> params;
  for (const auto& tensor : node_case.inputs) {
    MaybeExactValue& value = inputs.emplace_back();
    const auto decoded = DecodeFixedPoint(tensor);
    if (!decoded.ok()) continue;  // as if it were empty
    const FixedPoint& input = *decoded;
    const TensorType type = {input.tensor.shape(), input.tensor.view().Bounds()};
    const bool constant = *rc::gen::arbitrary<bool>();
    value =
        ExactValue{constant ? c.Constant(input.tensor) : c.Input(type), input.fraction_bits, input.data_type};
    if (!constant) params.push_back(builder.Param("x" + std::to_string(params.size()), type));
  }
  const auto results = ImportExactly(node_case.model.graph(), node_case.opset, inputs, c);
  RC_CLASSIFY(results.ok(), "accepted");
  if (!results.ok()) {
    RC_ASSERT(!ErrorLabel(results.status()).empty());
    return;
  }
  std::vector<Value> values;
  for (const ExactValue& result : *results) values.push_back(result.value);
  const std::vector<ValueId> ids = builder.Append(c, params, values);
  for (size_t i = 0; i < ids.size(); ++i) builder.Result("y" + std::to_string(i), ids[i]);
  const auto valid = Validate(std::move(builder).Build());
  if (!valid.ok()) RC_ASSERT(!ErrorLabel(valid.status()).empty());
}

// A number that hostile files like.
int64_t AnyNumber() {
  return *rc::gen::oneOf(rc::gen::inRange<int64_t>(-3, 10), rc::gen::arbitrary<int64_t>(),
                         rc::gen::element<int64_t>(INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX));
}

const NodeCase& AnySeed() { return Seeds()[*rc::gen::inRange<size_t>(0, Seeds().size())]; }

void Damage(NodeProto* node) {
  const GraphProto& other = AnySeed().model.graph();
  if (other.node_size() == 0) return;
  const NodeProto& donor = other.node(*rc::gen::inRange(0, other.node_size()));
  switch (*rc::gen::inRange(0, 5)) {
    case 0: node->set_op_type(donor.op_type()); break;
    case 1: *node->mutable_attribute() = donor.attribute(); break;
    case 2: {
      if (node->input_size() == 0) break;
      const int to = *rc::gen::inRange(0, node->input_size()),
                from = *rc::gen::inRange(0, node->input_size());
      node->set_input(to, std::string(node->input(from)));
      break;
    }
    case 3:
      if (node->input_size() > 0) node->mutable_input()->RemoveLast();
      break;
    default:
      for (AttributeProto& attribute : *node->mutable_attribute()) {
        attribute.set_i(AnyNumber());
        attribute.set_f(*rc::gen::element(0.0f, -1.0f, 1e30f, 1e-30f, 0.1f));
        for (int64_t& value : *attribute.mutable_ints()) {
          if (*rc::gen::arbitrary<bool>()) value = AnyNumber();
        }
        if (attribute.has_g() && attribute.g().node_size() > 0) {
          Damage(attribute.mutable_g()->mutable_node(*rc::gen::inRange(0, attribute.g().node_size())));
        }
      }
  }
}

RC_GTEST_PROP(ExactProperties, DamagedNodesAreAcceptedOrRefused, ()) {
  NodeCase node_case = AnySeed();
  GraphProto* graph = node_case.model.mutable_graph();
  if (graph->node_size() == 0) return;
  for (int changes = *rc::gen::inRange(0, 4); changes > 0; --changes) {
    Damage(graph->mutable_node(*rc::gen::inRange(0, graph->node_size())));
  }
  CheckImport(node_case);
}

RC_GTEST_PROP(ExactProperties, InputsOfAnotherCaseAreAcceptedOrRefused, ()) {
  NodeCase node_case = AnySeed();
  const NodeCase& other = AnySeed();
  node_case.inputs = other.inputs;
  node_case.inputs.resize(static_cast<size_t>(node_case.model.graph().input_size()));
  CheckImport(node_case);
}

TEST(ExactProperties, ThereAreSeeds) { EXPECT_GT(Seeds().size(), 400u); }

}  // namespace
}  // namespace tally::onnx
