// One import of a model file: its names, the graph that it becomes, and what is refused of it. A frontend
// reads its file and calls this for each input, layer and output, in an order in which each layer comes after
// those that it reads.
//
//   ImportRun run(name, max_computed, report);
//   RETURN_IF_ERROR(run.AddInput("x", {}, shape));
//   for (const auto& layer : file.layers) {
//     RETURN_IF_ERROR(run.ImportLayer(names, kind, {.find = ..., .import = ...}).status());
//   }
//   RETURN_IF_ERROR(run.AddOutput("y", declared));
//   RETURN_IF_ERROR(run.Finish());
//   return std::move(run).Build();
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/graph/interface.h"
#include "frontends/graph/layer.h"
#include "frontends/graph/report.h"
#include "frontends/graph/scope.h"

namespace tally::frontend {

// `status` with `place` in front, unless an importer got it from the graph with that in front already. What
// the graph refuses is a fault of the file: its labels become those of frontends/graph/labels.h.
absl::Status At(const std::string& place, const absl::Status& status);

// The content of a graph input.
struct InputType {
  quant::ElementType element = quant::ElementType::kFloat32;
  std::optional<Interval> interval = {};  // for integers, where their type is narrow
  std::optional<CodeType> codes = {};     // 16 bits or less
};

// How a frontend imports one layer.
struct LayerSteps {
  std::function<absl::Status()> find;    // whether its kind is imported at all
  std::function<absl::Status()> import;  // to the graph
};

// Ends at the first refusal, or, given a report, puts each there and goes on.
class ImportRun {
 public:
  // `max_computed` limits the elements of computed constants. All outlive this.
  ImportRun(std::string_view graph_name, int64_t max_computed, ModelReport* report)
      : scope_(graph_name, max_computed), report_(report) {}

  Scope& scope() { return scope_; }
  const Scope& scope() const { return scope_; }

  // Returns `status`; or, with a report, records it and marks `names` unavailable, so that their readers are
  // skipped.
  absl::Status Refuse(absl::Status status, std::span<const std::string> names = {});
  bool IsUnavailable(const std::string& name) const { return unavailable_.contains(name); }
  // The readers of `names` are not looked at. Empty ones name nothing.
  template <typename Names>
  void MarkUnavailable(const Names& names) {
    for (const std::string& name : names) {
      if (!name.empty()) unavailable_.insert(name);
    }
  }

  // For the report: what the file says of an input.
  void Declare(const std::string& name, const InputType& type, const DeclaredShape& shape);
  // Errors, at "input 'NAME'": model_name, those of CheckShape.
  absl::Status AddInput(const std::string& name, const InputType& type,
                        const absl::StatusOr<quant::Shape>& shape);
  // The same, or a constant where `given` has its values: one number for all elements, or as many as there
  // are. Errors: also model_unsupported_type for a number that is none of its type.
  absl::Status AddInput(const std::string& name, const InputType& type,
                        const absl::StatusOr<quant::Shape>& shape, const GivenInputs& given);
  // A constant of the file, or why it is none. `what` is what the format calls it: "initializer".
  absl::Status AddConstant(std::string_view what, const std::string& name, absl::StatusOr<Operand> constant);

  // Without a report, an error is the first refusal.
  absl::StatusOr<LayerReport::Fate> ImportLayer(const LayerNames& names, const std::string& kind,
                                                const LayerSteps& steps);
  // A layer within one that was not looked into: whether its kind is imported at all.
  void ReportUnseen(const std::string& source, const std::string& kind, const absl::Status& found);

  size_t num_reported() const { return report_ == nullptr ? 0 : report_->layers.size(); }
  // Takes the layers after the first `num_kept` from the report where they were imported.
  void ForgetImported(size_t num_kept);

  // The shape that the file declares is checked, but not how many rows of a result it takes for meant.
  absl::Status AddOutput(const std::string& name, const DeclaredShape& declared);
  // The counts of rows, after all outputs of the file, and the notes of the report.
  absl::Status Finish();

  absl::StatusOr<quant::Graph> Build() && { return std::move(scope_).Build(); }

 private:
  absl::Status TryAddInput(const std::string& name, const InputType& type,
                           const absl::StatusOr<quant::Shape>& shape);
  absl::Status TryAddOutput(const std::string& name, const DeclaredShape& declared);
  // Codes leave as the file has them.
  absl::StatusOr<Operand> AsServed(Operand operand, const std::string& name);

  Scope scope_;
  ModelReport* const report_;
  std::string placed_;  // the error of a layer, which says where it is: layers around it add nothing
  std::unordered_set<std::string> unavailable_;  // the names of what was refused, and of what comes of it
};

}  // namespace tally::frontend
