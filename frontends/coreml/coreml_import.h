// One import of a Core ML model: its networks, those of a pipeline one after the other, and the graph that
// they become.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/coreml/coreml_layer.h"
#include "frontends/coreml/model_features.h"
#include "frontends/coreml/networks.h"
#include "frontends/graph/import_run.h"
#include "frontends/graph/network.h"

namespace tally::coreml {

class CoremlImport : public Networks {
 public:
  // Ends at the first refusal, or, given a report, puts each there and goes on. Weights leave `model` once
  // they are in the graph. All outlive this.
  CoremlImport(schema::Model& model, int64_t num_bytes, const GivenInputs& given, ModelReport* report);

  absl::Status Run();
  absl::StatusOr<Network> Build() &&;

  absl::StatusOr<Flow> Import(const schema::NeuralNetwork& network, bool is_again) override;
  void End(Flow flow) override { flow_ = flow; }
  Meaning Find(const std::string& name) const override;
  absl::Status Set(const std::string& name, const Meaning& meaning) override;
  std::vector<OpenLoop>& loops() override { return loops_; }

 private:
  // A name of the file at some place: the name in the scope that it means, and S of its value.
  struct Held {
    std::string name;
    int64_t sequence = 1;
  };

  absl::Status ImportModel(schema::Model& model);
  absl::Status ImportPipeline(schema::Pipeline& pipeline);
  absl::Status ImportNetwork(schema::Model& model, schema::NeuralNetwork& network);
  absl::Status ImportSuppression(const schema::Model& model);
  // A number that the user gives for an input of it.
  float FixedOr(const std::string& input, double fallback) const;
  // A feature of the whole model, or of one before in a pipeline, as a blob of a network.
  absl::Status AddInput(const schema::Feature& input, const schema::NeuralNetwork& network);
  absl::Status Served(const schema::Feature& input, const InputForm& form,
                      const schema::NeuralNetwork& network);
  absl::StatusOr<Operand> Preprocess(const schema::Feature& input, const schema::NeuralNetwork& network,
                                     Operand x);
  // The results of a network as features: what a model yields, or what the next of a pipeline reads.
  absl::Status AddFeatures(const schema::Model& model, const schema::NeuralNetwork& network);
  absl::Status AddOutput(const schema::Feature& output);
  // Whether an output is the label that a classifier predicts, which is no tensor.
  bool IsLabel(const schema::Feature& output) const;
  // Refuses a part of the model, after which outputs that are missing say nothing.
  absl::Status Cut(absl::Status status);
  absl::Status MissingFeature(const std::string& name);
  absl::Status ImportLayer(const schema::Layer& layer, int64_t index);
  absl::Status CheckTensors(const schema::Layer& layer, const LayerNames& names) const;
  LayerNames NamesOf(const schema::Layer& layer, int64_t index);
  absl::Status MissWithin(const schema::Layer& layer);
  void ReportWithin(const schema::Layer& layer);
  // A name of the scope that nothing has, for a blob of the file.
  std::string NewName(const std::string& name);

  schema::Model& model_;
  const GivenInputs& given_;
  ImportRun run_;
  RankRule rule_;
  std::map<std::string, Held> blobs_;              // the network that is being imported
  std::map<std::string, Held> features_;           // the models before in a pipeline
  std::set<std::string> taken_;                    // names of the scope
  std::unordered_set<std::string> read_anywhere_;  // names of the file
  std::unordered_set<std::string_view> read_;      // names of the scope, of taken_
  std::vector<PixelInput> pixels_;
  std::vector<LabelledOutput> labels_;
  std::string scores_;  // a classifier's, as a feature
  std::vector<OpenLoop> loops_;
  Flow flow_ = Flow::kEnd;
  bool is_whole_ = true;
  int64_t num_refused_ = 0;  // layers after which a report goes on
  std::string place_;        // in front of names in messages, in a network within a layer
  int64_t num_inlined_ = 0;  // layers and blobs of networks within layers
};

}  // namespace tally::coreml
