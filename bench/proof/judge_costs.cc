#include "bench/proof/judge_costs.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "engines/engine.h"
#include "proof/certificate/accused_run.h"
#include "proof/certificate/check_certificate.h"
#include "proof/certificate/convict.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

constexpr int kChecks = 5;

struct Case {
  std::string what, text;
  size_t entry;       // that is accused
  bool by_expansion;  // the charge is a number of columns that it does not have
};

std::string Constant(const std::string& type, const std::string& shape, int64_t elements) {
  std::string text = "constant " + type + " " + shape + " hex {";
  for (int64_t i = 0; i < elements * (type == "i8" ? 1 : 2); ++i) text += i % 2 == 0 ? "05" : "01";
  return text + "}";
}

std::string Chain(int instructions) {
  std::string text = "param %0 \"x\" [2] in [-9, 9]\n";
  for (int i = 1; i <= instructions; ++i)
    absl::StrAppend(&text, "%", i, " = broadcast_max %", i - 1, ", %", i - 1, "\n");
  return absl::StrCat(text, "result %", instructions, " \"y\"\n");
}

std::string Nms(int64_t boxes) {
  return absl::StrCat(
      "param %0 \"boxes\" [1, ", boxes, ", 4] in [0, 100]\nparam %1 \"scores\" [1, 1, ", boxes,
      "] in [0, 100]\n%2, %3 = nms %0, %1 {encoding = corners, side_offset = 0, iou_numerator = 1, "
      "iou_denominator = 2, suppress_equal = false, min_score = 0, at_least_one = false, classes = each, "
      "top_k = 2147483647, max_per_class = 2147483647, max_per_batch = 4, order = score, batches = "
      "packed}\nresult %3 \"count\"\n");
}

std::vector<Case> Cases() {
  const std::string loop =
      "param %0 \"c\" [] in [0, 1]\nparam %1 \"x\" [2] in [0, 9]\n"
      "%2, %3 = loop %0, %1 {body = 1, trips = 3000, states = 1, scanned = 0, condition = true}\n"
      "result %2 \"x\"\nresult %3 \"n\"\n"
      "function 1\nparam %0 [] in [0, 2999]\nparam %1 [2] in [0, 9]\n"
      "%2 = clip %0 {a_min = 1, a_max = 1}\n%3 = clip %1 {a_min = 1, a_max = 9}\nresult %2\nresult %3\n";
  return {
      {"a product of 65,000",
       "param %0 \"x\" [1, 65000] in [-9, 9]\n%1 = " + Constant("i8", "[1, 65000]", 65000) +
           "\n%2 = dense %0, %1\nresult %2 \"y\"\n",
       0, false},
      {"a sum of 65,000 elements",
       "param %0 \"x\" [65000] in [-9, 9]\n%1 = sum %0 {axis = [0], keepdims = false, exclude = "
       "false}\nresult %1 \"y\"\n",
       0, false},
      {"a line of 65,000 that is sorted",
       "param %0 \"x\" [65000] in [-2000000000000, 2000000000000]\n%1 = sort %0 {axis = 0, descending = "
       "false}\nresult %1 \"y\"\n",
       0, false},
      {"a program of 30,000 instructions", Chain(30000), 5, false},
      {"3,000 trips whose conditions are opened", loop, 6000, false},
      {"an expansion of 500,000 columns", Nms(72000), 0, true},
  };
}

absl::StatusOr<std::vector<uint8_t>> FileOf(const Case& of) {
  ASSIGN_OR_RETURN(Module module, Assemble("tally 1\nprofile core\n" + of.text));
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(module)));
  const auto shared = std::make_shared<const ValidModule>(std::move(valid));
  const ClaimedModule claimed(*shared);
  std::mt19937_64 random(1);
  std::vector<Tensor> inputs;
  std::vector<TensorView> views;
  for (const TensorType& param : shared->entry().params) {
    Tensor& x = inputs.emplace_back(param.shape, param.storage());
    for (int64_t i = 0; i < param.shape.num_elements(); ++i) {
      StoreElement(x.storage(), x.mutable_bytes().data(), i,
                   param.interval.lo < -9 ? static_cast<int64_t>(random() >> 30)
                                          : static_cast<int64_t>(random() % 9 + 1));
    }
    if (param.shape.rank() == 0) StoreElement(x.storage(), x.mutable_bytes().data(), 0, 1);
  }
  for (const Tensor& x : inputs) views.push_back(x.view());
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", shared));
  ASSIGN_OR_RETURN(RecordedRun accused, RecordedRun::Of(claimed, *plan, views));
  const RecordedRun honest = accused;
  accused.values[of.entry].mutable_bytes()[0] ^= 1;
  accused.CommitToTensors();
  AccusedRun parts(accused);
  const ValueName name = {ValueKind::kEntry, of.entry};
  parts.Accuse(name);
  const Prosecutor prosecutor = {
      claimed, honest, parts,
      CertificateHead(claimed, accused.claim, accused.input_digests, accused.result_digests)};
  if (!of.by_expansion) {
    ASSIGN_OR_RETURN(const Certificate certificate, prosecutor.AccuseElement(name, 0));
    return EncodeCertificate(certificate);
  }
  ASSIGN_OR_RETURN(const Certificate certificate, prosecutor.AccuseColumns(of.entry, 0));
  return EncodeCertificate(certificate);
}

double Milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

absl::StatusOr<std::vector<JudgeCost>> MeasureJudge() {
  std::vector<JudgeCost> costs;
  for (const Case& of : Cases()) {
    ASSIGN_OR_RETURN(const std::vector<uint8_t> file, FileOf(of));
    JudgeCost& cost = costs.emplace_back();
    cost.what = of.what;
    cost.file_bytes = file.size();
    std::vector<double> times;
    for (int i = 0; i < kChecks; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const auto conviction = CheckCertificate<TrappingInt>(file);
      times.push_back(Milliseconds(std::chrono::steady_clock::now() - begin));
      cost.verdict = conviction.ok() ? "convicted" : std::string(ErrorLabel(conviction.status()));
    }
    std::ranges::nth_element(times, times.begin() + kChecks / 2);
    cost.check_ms = times[kChecks / 2];
  }
  return costs;
}

}  // namespace tally::bench
