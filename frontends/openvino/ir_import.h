// One import of an IR file: its layers, those of the bodies within them, and the graph that they become.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/graph/import_run.h"
#include "frontends/openvino/import_openvino.h"
#include "frontends/openvino/ir_file.h"
#include "frontends/openvino/ir_layer.h"

namespace tally::openvino {

class IrImport {
 public:
  // Ends at the first refusal, or, given a report, puts each there and goes on. All outlive this.
  IrImport(const IrFile& file, const IrFiles& files, const GivenInputs& given, ModelReport* report);

  absl::Status Run();
  absl::StatusOr<quant::Graph> Build() && { return std::move(run_).Build(); }

 private:
  // Where layers are: what begins the names of their values, and their ids in messages.
  struct Place {
    std::string names, ids;
  };

  absl::Status AddInput(const IrLayer& layer);
  absl::Status Preprocess(const std::string& name, const IrPreprocessing& how);
  // A layer that is neither a Parameter nor a Result.
  absl::Status AddLayer(const IrLayer& layer, const Place& place);
  absl::Status AddConstant(const IrLayer& layer, const Place& place);
  absl::StatusOr<Operand> ConstantOf(const IrLayer& layer, const std::string& name);
  absl::Status ImportLayer(const IrLayer& layer, const Place& place);
  absl::Status AddOutput(const IrLayer& result);

  // The importers that IrNode::ImportBody names, of a layer at `place` with these names.
  absl::StatusOr<std::optional<BodyOperands>> ImportBody(const IrLayer& layer, const LayerNames& names,
                                                         const Place& place, size_t index,
                                                         const BodyOperands& parameters, bool is_again);
  // Layers of bodies that were not looked into: whether their types are imported at all.
  void ReportBodies(const IrLayer& layer, const Place& place);
  // The shapes of ports are those the file was converted with; another size of an input makes it void.
  absl::Status CheckPorts(const IrLayer& layer, const LayerNames& names) const;
  static LayerNames NamesOf(const IrLayer& layer, const Place& place);

  const IrFile& file_;
  const IrFiles& files_;
  const GivenInputs& given_;
  ImportRun run_;
  std::unordered_set<std::string_view> read_;                  // names of values
  std::unordered_map<std::string_view, int64_t> num_readers_;  // by value, those that are yet to come
  std::vector<const IrLayer*> results_;
  std::set<std::string> served_;
  bool is_preprocessed_ = false;
  std::deque<std::string> names_in_bodies_;                // those of read_
  std::unordered_map<const IrLayer*, Operand> of_bodies_;  // constants, which all trips share
  int64_t num_bodies_ = 0, num_inlined_ = 0;               // bodies, and their layers and ports
};

}  // namespace tally::openvino
