// The cost of a proof compared with the run that it is of: the receipt, which every answer may have, and the
// trace, which is recomputed when somebody asks.
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "bench/harness/contender.h"
#include "bench/harness/machine.h"
#include "bench/harness/run_options.h"
#include "bench/models/random_source.h"
#include "bench/models/works.h"
#include "bench/proof/certificate_costs.h"
#include "bench/proof/judge_costs.h"
#include "bench/proof/read_costs.h"
#include "engines/engine.h"
#include "proof/receipt/claim_run.h"
#include "proof/receipt/receipt.h"
#include "proof/trace/trace.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

constexpr uint64_t kInputSeed = 1;

// A module with random inputs, and what is known of it before it is served.
struct Served {
  std::shared_ptr<const ValidModule> module;
  std::unique_ptr<const Plan> plan;
  std::vector<Tensor> inputs;
  std::unique_ptr<const ClaimedModule> claimed;

  std::vector<TensorView> views() const {
    std::vector<TensorView> views;
    for (const Tensor& input : inputs) views.push_back(input.view());
    return views;
  }
};

absl::StatusOr<Served> Prepare(const std::string& name, const WorkOptions& options) {
  ASSIGN_OR_RETURN(Work work, BuildWork(name, options.model));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(work.module)));
  Served served;
  served.module = std::make_shared<const ValidModule>(std::move(valid));
  ASSIGN_OR_RETURN(served.plan, MakePlan(options.engine, served.module, {.threads = options.threads}));
  served.inputs = RandomInputs(served.module->entry().params, kInputSeed);
  served.claimed = std::make_unique<const ClaimedModule>(*served.module);
  return served;
}

enum class Proves { kNothing, kReceipt, kTrace };

class ProofContender final : public Contender {
 public:
  ProofContender(const Served& served, Proves proves, const SigningKey& key)
      : served_(served), views_(served.views()), proves_(proves), key_(key) {}

  std::string name() const override {
    return proves_ == Proves::kNothing ? "run" : proves_ == Proves::kReceipt ? "receipt" : "trace";
  }

  absl::StatusOr<std::vector<double>> Run(int iterations, Clock clock) override {
    std::vector<double> times;
    for (int i = 0; i < iterations; ++i) {
      Trace trace;
      ExecuteOptions options;
      if (proves_ == Proves::kTrace) options.root_observer = RecordInto(trace);
      const Stopwatch watch(clock);
      const absl::StatusOr<Outcome> outcome = served_.plan->Execute(views_, options);
      RETURN_IF_ERROR(outcome.status());
      if (proves_ == Proves::kReceipt) {
        ASSIGN_OR_RETURN(const Claim claim, ClaimOfRun(*served_.claimed, views_, outcome, options));
        bytes_ += ToJson(SignReceipt(claim, {}, key_)).size();
      } else if (proves_ == Proves::kTrace) {
        bytes_ += TraceDigest(trace)[0];
      }
      times.push_back(watch.Milliseconds());
    }
    return times;
  }

 private:
  const Served& served_;
  std::vector<TensorView> views_;
  Proves proves_;
  const SigningKey& key_;
  size_t bytes_ = 0;  // so that no proof is left out
};

// Values, and their bytes, that a trace of the module hashes.
std::pair<int64_t, int64_t> Committed(const Served& served) {
  int64_t values = 0, bytes = 0;
  ExecuteOptions options;
  options.root_observer = [&](std::span<const CallSite>, ValueId, Storage storage, const Shape& shape,
                              const Digest&) {
    ++values;
    bytes += shape.num_elements() * SizeBytes(storage);
  };
  const auto outcome = served.plan->Execute(served.views(), options);
  return outcome.ok() ? std::pair(values, bytes) : std::pair(int64_t{-1}, int64_t{-1});
}

absl::StatusOr<nlohmann::ordered_json> Measure(const std::string& name, const WorkOptions& options) {
  ASSIGN_OR_RETURN(const Served served, Prepare(name, options));
  ASSIGN_OR_RETURN(const SigningKey key, SigningKey::Generate());
  ProofContender run(served, Proves::kNothing, key), receipt(served, Proves::kReceipt, key),
      trace(served, Proves::kTrace, key);
  Contender* const contenders[] = {&run, &receipt, &trace};
  ASSIGN_OR_RETURN(const std::vector<Samples> samples, TakeTurns(contenders, options.turns));
  const auto [values, bytes] = Committed(served);
  const double base = samples[0].median();
  const auto more = [&](size_t i) { return 100 * (samples[i].median() / base - 1); };
  std::printf("%-16s %8.3f %9.3f %7.1f %% %9.3f %7.1f %% %7ld %9.2f\n", name.c_str(), base,
              samples[1].median(), more(1), samples[2].median(), more(2), values,
              static_cast<double>(bytes) / (1 << 20));
  return nlohmann::ordered_json{{"work", name},
                                {"run_ms", base},
                                {"receipt_ms", samples[1].median()},
                                {"trace_ms", samples[2].median()},
                                {"values", values},
                                {"bytes", bytes}};
}

// The elements that one element of each network reads, by what computes it.
absl::Status ShowReads(const std::string& name, const WorkOptions& options, int64_t elements,
                       nlohmann::ordered_json& json) {
  ASSIGN_OR_RETURN(const Served served, Prepare(name, options));
  ASSIGN_OR_RETURN(const auto costs, MeasureReads(served.module, served.inputs, elements));
  for (const auto& [what, cost] : costs) {
    const auto kib = [](int64_t bytes) { return static_cast<double>(bytes) / 1024; };
    std::printf("%-16s %8ld %8ld %7ld %9.1f %9.1f %9.1f  %s\n", name.c_str(), cost.elements, cost.by_steps,
                cost.most.leaves, kib(cost.most.bytes), kib(cost.most.path_bytes), kib(cost.gathered_bytes),
                what.c_str());
    json.push_back({{"work", name},
                    {"computed_by", what},
                    {"elements", cost.elements},
                    {"by_steps", cost.by_steps},
                    {"leaves", cost.most.leaves},
                    {"leaf_bytes", cost.most.bytes},
                    {"path_bytes", cost.most.path_bytes},
                    {"gathered_bytes", cost.gathered_bytes}});
  }
  return absl::OkStatus();
}

// The costs of disputes about single elements.
absl::Status ShowDisputes(const std::string& name, const WorkOptions& options, int64_t elements,
                          nlohmann::ordered_json& json) {
  ASSIGN_OR_RETURN(const Served served, Prepare(name, options));
  ASSIGN_OR_RETURN(const DisputeCosts costs, MeasureDisputes(served.module, served.views(), elements));
  for (const auto& [what, cost] : costs.by_name) {
    std::printf("%-16s %8ld %8ld %9.1f %9.2f %8lu %9.1f %9.2f %10.2f  %s\n", name.c_str(), cost.elements,
                cost.by_steps, static_cast<double>(cost.certificate_bytes) / 1024, cost.check_ms,
                cost.messages, static_cast<double>(cost.message_bytes) / 1024, cost.asserter_ms,
                cost.challenger_ms, what.c_str());
    json.push_back({{"work", name},
                    {"computed_by", what},
                    {"elements", cost.elements},
                    {"by_steps", cost.by_steps},
                    {"certificate_bytes", cost.certificate_bytes},
                    {"check_ms", cost.check_ms},
                    {"messages", cost.messages},
                    {"message_bytes", cost.message_bytes},
                    {"asserter_ms", cost.asserter_ms},
                    {"challenger_ms", cost.challenger_ms},
                    {"program_bytes", costs.program_bytes},
                    {"bounds_bytes", costs.bounds_bytes}});
  }
  return absl::OkStatus();
}

// The time of the judge for files near the largest.
absl::Status ShowJudge(nlohmann::ordered_json& json) {
  std::printf("\n%-44s %9s %9s\n", "one certificate", "file KiB", "check ms");
  ASSIGN_OR_RETURN(const std::vector<JudgeCost> costs, MeasureJudge());
  for (const JudgeCost& cost : costs) {
    std::printf("%-44s %9.1f %9.2f  %s\n", cost.what.c_str(), static_cast<double>(cost.file_bytes) / 1024,
                cost.check_ms, cost.verdict.c_str());
    json.push_back({{"what", cost.what},
                    {"file_bytes", cost.file_bytes},
                    {"check_ms", cost.check_ms},
                    {"verdict", cost.verdict}});
  }
  return absl::OkStatus();
}

int Main(const WorkOptions& options, int64_t elements, const std::string& json) {
  const bool pinned = options.pin && PinTo(options.threads);
  std::printf("%sengine %s, %d threads%s\n\n", DescribeMachine(DetectCpuFlags()).c_str(),
              options.engine.c_str(), options.threads, pinned ? ", pinned" : "");
  std::printf("%-16s %8s %9s %9s %9s %9s %7s %9s\n", "median ms", "run", "receipt", "more", "trace", "more",
              "values", "MiB");
  nlohmann::ordered_json works = nlohmann::ordered_json::array(), reads = works, disputes = works;
  for (const std::string& name : options.works) {
    auto measured = Measure(name, options);
    if (!measured.ok()) {
      std::fprintf(stderr, "bench: %s: %s\n", name.c_str(), std::string(measured.status().message()).c_str());
      return 1;
    }
    works.push_back(*std::move(measured));
  }
  std::printf("\n%-16s %8s %8s %7s %9s %9s %9s\n", "one element", "judged", "by steps", "leaves", "KiB",
              "paths KiB", "any, KiB");
  for (const std::string& name : options.works) {
    if (const absl::Status status = ShowReads(name, options, elements, reads); !status.ok()) {
      std::fprintf(stderr, "bench: %s: %s\n", name.c_str(), std::string(status.message()).c_str());
      return 1;
    }
  }
  std::printf("\n%-16s %8s %8s %9s %9s %8s %9s %9s %10s\n", "one dispute", "played", "by steps", "file KiB",
              "check ms", "messages", "KiB", "asserter", "challenger");
  for (const std::string& name : options.works) {
    if (const absl::Status status = ShowDisputes(name, options, elements, disputes); !status.ok()) {
      std::fprintf(stderr, "bench: %s: %s\n", name.c_str(), std::string(status.message()).c_str());
      return 1;
    }
  }
  nlohmann::ordered_json judge = nlohmann::ordered_json::array();
  if (const absl::Status status = ShowJudge(judge); !status.ok()) {
    std::fprintf(stderr, "bench: the judge: %s\n", std::string(status.message()).c_str());
    return 1;
  }
  const nlohmann::ordered_json report = {
      {"costs", works}, {"reads", reads}, {"disputes", disputes}, {"judge", judge}};
  if (!json.empty()) std::ofstream(json) << report.dump(1) << "\n";
  return 0;
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  tally::bench::WorkOptions options;
  std::string json;
  CLI::App app(
      "Runs works alone, with a receipt, and with a trace, in turns; judges and disputes elements of them.");
  tally::bench::AddWorkOptions(app, options);
  int64_t elements = 20;
  app.add_option("--elements", elements, "that are judged of each value")->capture_default_str();
  app.add_option("--json", json, "file for the figures");
  CLI11_PARSE(app, argc, argv);
  return tally::bench::Main(options, elements, json);
}
