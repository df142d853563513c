// One import of a file: its names, and the graph that it becomes. Each part of the work has a file:
// importer.cc the initializers, inputs and outputs, node.cc the nodes, subgraph.cc the graphs
// within these.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/graph/compositions/control.h"
#include "frontends/graph/import_run.h"
#include "frontends/onnx/expand/dynamic_products.h"
#include "frontends/onnx/float/import_onnx.h"
#include "frontends/onnx/float/operators.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

inline bool IsDefaultDomain(const ::onnx::NodeProto& node) {
  return node.domain().empty() || node.domain() == "ai.onnx";
}

class Importer {
 public:
  // Ends at the first refusal, or, given a report, puts each there and goes on. `max_computed` limits what is
  // computed, and with a constant what is copied. All outlive this.
  Importer(::onnx::GraphProto& graph, int64_t opset, int64_t max_computed, const ImportOptions& options,
           ModelReport* report);

  absl::Status Run();
  absl::StatusOr<quant::Graph> Build() && { return std::move(run_).Build(); }

 private:
  absl::Status BindInitializers(::onnx::GraphProto& graph);
  absl::Status AddInput(const ::onnx::ValueInfoProto& input);

  // `place` is that in the graph of the file; none of a node in the graph of another, whose `number` says
  // where it is.
  absl::Status ImportNode(const ::onnx::NodeProto& node, const std::string& number, std::optional<int> place);
  // Nodes of graphs that were not looked into: whether their operators are imported at all.
  void ReportSubgraphs(const ::onnx::NodeProto& node, const std::string& number);
  static std::string NumberWithin(const std::string& number, const std::string& attribute, int index);
  std::string SourceOf(const ::onnx::NodeProto& node, const std::string& number) const;
  absl::StatusOr<OperatorImporter> FindImporter(const ::onnx::NodeProto& node) const;
  // Operators on quantized tensors as nodes between those that quantize, and dynamic quantization as the
  // products that it stands for.
  absl::Status ImportNodeFrom(const ::onnx::NodeProto& node, const std::string& number,
                              std::optional<int> place, const std::string& source);
  absl::Status ImportInstead(const std::vector<::onnx::NodeProto>& nodes, const std::string& source);
  absl::Status ImportOne(const ::onnx::NodeProto& node, const std::string& source);

  // An If, a Scan, or a Loop of which the most trips are known, as the nodes of its graphs: true, else false
  // and nothing.
  absl::StatusOr<bool> ImportKnownControl(const ::onnx::NodeProto& node, const std::string& number,
                                          const std::string& source);
  // Where it is a constant.
  absl::StatusOr<std::optional<int64_t>> KnownIntegerOf(const std::string& name) const;
  // The nodes of a graph of `node` in its place, with these inputs. Valid as long as this.
  absl::StatusOr<const ::onnx::GraphProto*> Inline(const ::onnx::NodeProto& node, const std::string& number,
                                                   const std::string& name,
                                                   const std::vector<Operand>& inputs);
  bool GivesWhatIsUnseen(const ::onnx::GraphProto& graph) const;
  absl::Status BindResult(const std::string& name, Operand operand);
  // The results of a branch; nothing for what was not imported.
  absl::StatusOr<std::vector<std::optional<Operand>>> ImportBranch(const ::onnx::NodeProto& node,
                                                                   const std::string& number,
                                                                   const std::string& name);
  absl::Status FinishBranch(const ::onnx::NodeProto& node, const std::string& number,
                            const std::string& name);
  // Both branches, and of each result the one that a computed condition says.
  absl::Status ImportBothBranches(const ::onnx::NodeProto& node, const std::string& number,
                                  const std::string& source);
  // The initial values of a loop, where they are known.
  absl::StatusOr<std::optional<LoopStart>> StartOf(const ::onnx::NodeProto& node) const;
  // The results of a body on these inputs; nothing where one of its nodes is refused. Trip 0 reports its
  // nodes.
  absl::StatusOr<std::optional<std::vector<Operand>>> ImportBody(const ::onnx::NodeProto& node,
                                                                 const std::string& number, int64_t trip,
                                                                 const std::vector<Operand>& inputs);
  absl::StatusOr<std::optional<Trip>> ImportTrip(const ::onnx::NodeProto& node, const std::string& number,
                                                 int64_t trip, const std::vector<Operand>& states);
  // The body once for each trip. Its inputs are the number of the trip, whether the loop goes on, and states;
  // its results whether it goes on, states, and what is stacked over the trips.
  absl::Status UnrollLoop(const ::onnx::NodeProto& node, const std::string& number, const std::string& source,
                          const LoopStart& start);

  // The body of a Scan once for each step: its inputs are states and the parts of what is scanned, its
  // results states and what is stacked.
  absl::Status UnrollScan(const ::onnx::NodeProto& node, const std::string& number,
                          const std::string& source);

  ::onnx::GraphProto& graph_;
  const int64_t opset_;
  const ImportOptions& options_;
  const int64_t max_computed_;
  std::deque<::onnx::GraphProto> inlined_;     // graphs that are where their nodes stood
  std::unordered_set<std::string_view> read_;  // names of these protos, which stay as they are
  int64_t inlined_bytes_ = 0;
  const NodesInstead dynamic_products_;
  ImportRun run_;
};

}  // namespace tally::onnx
