// A CVM model behind its interface of bytes.
//
//   ASSIGN_OR_RETURN(const auto model, LoadedModel::Load(json, params, "cpu"));
//   std::vector<uint8_t> output(model->output_bytes());
//   RETURN_IF_ERROR(model->Infer(input, output.data()));
//
// Immutable: any number of threads may infer at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engines/engine.h"
#include "frontends/cvm/import_cvm.h"

namespace tally::cvm {

class LoadedModel {
 public:
  // Errors: those of ImportCvm and MakePlan; cvm_storage_limit; cvm_data_length, the input has more bytes
  // than an `int` can hold.
  static absl::StatusOr<std::unique_ptr<const LoadedModel>> Load(std::string_view graph,
                                                                 std::span<const uint8_t> params,
                                                                 std::string_view engine);

  // `output` has room for output_bytes(). Errors: cvm_data_length, `input` does not have input_bytes().
  absl::Status Infer(std::span<const uint8_t> input, uint8_t* output) const;

  // On the wire elements have 8 bits where the precision is at most 8, else 32.
  Storage input_storage() const { return input_; }
  Storage output_storage() const { return output_; }
  int64_t input_bytes() const { return BytesOf(plan_->module().entry().params[0], input_); }
  int64_t output_bytes() const { return BytesOf(plan_->module().functions()[0].results[0], output_); }

  const std::string& version() const { return graph_.version; }
  const std::string& postprocess() const { return graph_.postprocess; }
  const Graph& graph() const { return graph_; }

 private:
  LoadedModel(Graph graph, Storage input, Storage output, std::unique_ptr<const Plan> plan)
      : graph_(std::move(graph)), input_(input), output_(output), plan_(std::move(plan)) {}

  static int64_t BytesOf(const TensorType& type, Storage storage) {
    return type.shape.num_elements() * SizeBytes(storage);
  }

  Graph graph_;
  Storage input_, output_;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace tally::cvm
