#include "server/models/served_model.h"

#include <span>
#include <utility>

#include "base/error.h"
#include "base/io/file.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/engine.h"
#include "proof/receipt/origin.h"
#include "serializer/decode.h"
#include "server/labels.h"
#include "vm/validator.h"

namespace tally::server {
namespace {

constexpr uint64_t kMostConfigBytes = 1 << 20;

std::vector<TensorInfo> InfosOf(const std::vector<TensorType>& types, const std::vector<ValueInfo>& values,
                                bool floats) {
  std::vector<TensorInfo> infos;
  for (size_t i = 0; i < types.size(); ++i) {
    const auto dims = types[i].shape.dims();
    const bool real = floats && values[i].quantization.has_value();
    infos.push_back({values[i].name,
                     real ? Datatype::kFp32 : NarrowestDatatype(types[i].interval),
                     {dims.begin(), dims.end()}});
  }
  return infos;
}

}  // namespace

ServedModel::ServedModel(std::string name, std::string version, std::shared_ptr<const ValidModule> module)
    : name_(std::move(name)), version_(std::move(version)), module_(std::move(module)), claimed_(*module_) {}

absl::StatusOr<std::shared_ptr<const ServedModel>> ServedModel::Load(std::string name, std::string version,
                                                                     const ModelFiles& files) {
  ModelConfig config;
  if (!files.config.empty()) {
    ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(files.config, kMostConfigBytes));
    ASSIGN_OR_RETURN(config, ModelConfigOfJson(AsText(text)));
  }
  ASSIGN_OR_RETURN(std::vector<uint8_t> read, ReadFile(files.module));
  const auto bytes = std::make_shared<const std::vector<uint8_t>>(std::move(read));
  ASSIGN_OR_RETURN(Module decoded, Decode(*bytes, bytes));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(decoded)));
  const std::shared_ptr<ServedModel> model(new ServedModel(
      std::move(name), std::move(version), std::make_shared<const ValidModule>(std::move(valid))));
  if (!files.origin.empty()) {
    ASSIGN_OR_RETURN(const std::vector<uint8_t> text, ReadFile(files.origin, kMaxOriginBytes));
    ASSIGN_OR_RETURN(const Origin origin, OriginFromJson(AsText(text)));
    if (origin.module != model->claimed_.id)
      return MakeError(label::model_config, "the origin beside the module is that of another module");
    model->origin_ = OriginDigest(origin);
  }
  const PlanOptions options = {.threads = static_cast<int>(config.threads), .level = config.level};
  ASSIGN_OR_RETURN(model->plan_, MakePlan(config.engine, model->module_, options));
  const FunctionFacts& entry = model->module_->functions()[0];
  const Metadata& metadata = model->module_->module().metadata;
  model->inputs_ = InfosOf(entry.params, metadata.params, config.floats);
  model->outputs_ = InfosOf(entry.results, metadata.results, config.floats);
  model->bytes_ = bytes;
  model->config_ = std::move(config);
  return std::shared_ptr<const ServedModel>(model);
}

}  // namespace tally::server
