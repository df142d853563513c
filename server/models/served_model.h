// A model that is loaded: its module, its plan and what its clients see of it. It never changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/hash/digest.h"
#include "proof/receipt/claim_run.h"
#include "server/models/model_config.h"
#include "server/protocol/datatype.h"
#include "vm/plan.h"
#include "vm/valid_module.h"

namespace tally::server {

// The files of a model; an empty path where there is none.
struct ModelFiles {
  std::string module, config, origin;
};

struct TensorInfo {
  std::string name;
  Datatype datatype;
  std::vector<int64_t> shape;
};

class ServedModel {
 public:
  // Reads whole files, so that writing over them later changes nothing. Errors: those of files, Decode,
  // Validate and MakePlan; model_config; origin_form, and model_config where the origin is of another module.
  static absl::StatusOr<std::shared_ptr<const ServedModel>> Load(std::string name, std::string version,
                                                                 const ModelFiles& files);

  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  const ModelConfig& config() const { return config_; }
  const ValidModule& module() const { return *module_; }
  const ClaimedModule& claimed() const { return claimed_; }
  const Plan& plan() const { return *plan_; }
  const std::optional<Digest>& origin() const { return origin_; }
  const std::vector<uint8_t>& bytes() const { return *bytes_; }  // the module's file
  const std::vector<TensorInfo>& inputs() const { return inputs_; }
  const std::vector<TensorInfo>& outputs() const { return outputs_; }

 private:
  ServedModel(std::string name, std::string version, std::shared_ptr<const ValidModule> module);

  std::string name_, version_;
  ModelConfig config_;
  std::shared_ptr<const std::vector<uint8_t>> bytes_;
  std::shared_ptr<const ValidModule> module_;
  ClaimedModule claimed_;
  std::unique_ptr<const Plan> plan_;
  std::optional<Digest> origin_;
  std::vector<TensorInfo> inputs_, outputs_;
};

}  // namespace tally::server
