// A work in ONNX Runtime, through node and the npm package onnxruntime-node, in a process of its own that
// waits between its turns.
#pragma once

#include <memory>
#include <string>

#include "bench/harness/contender.h"
#include "bench/peers/child_process.h"
#include "bench/peers/write_onnx.h"

namespace tally::bench {

struct OnnxRuntimeOptions {
  std::string package;  // the folder of onnxruntime-node
  std::string script = "bench/peers/onnx_runtime.js";
  int threads = 1;  // within an operator
};

class OnnxRuntimeContender final : public Contender {
 public:
  // Errors: why there is none, for people.
  static absl::StatusOr<std::unique_ptr<OnnxRuntimeContender>> Create(const OnnxRuntimeOptions& options,
                                                                      const Work& work);
  ~OnnxRuntimeContender() override;

  std::string name() const override { return "onnxruntime " + version_ + " u8s8"; }

  // Milliseconds of one work each: a run of the model that repeats the work counts as its mean.
  absl::StatusOr<std::vector<double>> Run(int iterations, Clock clock) override;

  // The result for an input of u8.
  absl::StatusOr<std::string> Once(const std::string& input);

 private:
  OnnxRuntimeContender() = default;

  std::unique_ptr<ChildProcess> node_;
  std::string folder_;  // with its files, removed at the end
  std::string version_;
  int repetitions_ = 1;
};

}  // namespace tally::bench
