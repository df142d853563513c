// Products checked instead of computed: the time of a run, and of the check of its products, on one thread.
//
// product_costs [ROUNDS]: matrices of three sizes and the works MobileNetV2 and ResNet-50, in turns, best of
// the rounds.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/status_macros.h"
#include "base/strings.h"
#include "bench/models/random_source.h"
#include "bench/models/works.h"
#include "engines/engine.h"
#include "proof/freivalds/product_verifier.h"
#include "vm/text/assembler.h"
#include "vm/validator.h"

namespace tally::bench {
namespace {

double Milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// y = x w, with w a constant of drawn bytes.
absl::StatusOr<Module> Matmul(int64_t m, int64_t k, int64_t n) {
  std::string text = absl::StrCat("tally 1\nprofile core\nparam %0 \"x\" [", m, ", ", k,
                                  "] in [-128, 127]\n%1 = constant i8 [", k, ", ", n, "] hex {");
  uint32_t state = 1;
  for (int64_t i = 0; i < 2 * k * n; ++i) {
    state = state * 1664525 + 1013904223;
    text += "0123456789abcdef"[state >> 28];
  }
  text +=
      "}\n%2 = matmul %0, %1 {transpose_a = false, transpose_b = false, zero_a = 0, zero_b = 0}\nresult %2 "
      "\"y\"\n";
  return Assemble(text);
}

absl::Status Report(const std::string& name, Module module, int rounds) {
  ASSIGN_OR_RETURN(ValidModule valid, Validate(std::move(module)));
  const auto shared = std::make_shared<const ValidModule>(std::move(valid));
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", shared));
  std::unique_ptr<const ProductVerifier> verifier;
  absl::Status made;
  const double key = Milliseconds([&] {
    auto one = ProductVerifier::Make(*shared, Digest{}, "cpu", {}, AuditSecret::Draw());
    made = one.status();
    if (one.ok()) verifier = *std::move(one);
  });
  RETURN_IF_ERROR(made);
  const std::vector<Tensor> inputs = RandomInputs(shared->entry().params, 1);
  std::vector<TensorView> views;
  for (const Tensor& input : inputs) views.push_back(input.view());
  ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, ProductsOfRun(*plan, views));
  ASSIGN_OR_RETURN(const std::vector<Tensor> products, DecodeProducts(bytes, verifier->types()));
  double run = std::numeric_limits<double>::infinity(), check = run;
  for (int i = 0; i < rounds; ++i) {
    run = std::min(run, Milliseconds([&] { plan->Execute(views, {}).status().IgnoreError(); }));
    std::vector<Tensor> claimed = products;
    check =
        std::min(check, Milliseconds([&] { made = verifier->Results(views, std::move(claimed)).status(); }));
    RETURN_IF_ERROR(made);
  }
  std::printf("%-18s %9.2f %9.2f %7.1f %9.1f %9.2f\n", name.c_str(), run, check, run / check, key,
              static_cast<double>(bytes.size()) / (1 << 20));
  return absl::OkStatus();
}

absl::Status ReportAll(int rounds) {
  std::printf("%-18s %9s %9s %7s %9s %9s\n", "module", "run, ms", "check, ms", "ratio", "key, ms", "MiB");
  for (const auto& [m, k, n] :
       {std::array<int64_t, 3>{512, 4096, 4096}, {64, 4096, 4096}, {128, 768, 3072}}) {
    ASSIGN_OR_RETURN(Module module, Matmul(m, k, n));
    RETURN_IF_ERROR(Report(absl::StrCat("matmul ", m, "x", k, "x", n), std::move(module), rounds));
  }
  for (const char* name : {"mobilenet_v2", "resnet50", "bert_layer"}) {
    ASSIGN_OR_RETURN(Work work, BuildWork(name, {}));
    RETURN_IF_ERROR(Report(name, std::move(work.module), rounds));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tally::bench

int main(int argc, char** argv) {
  const absl::Status done = tally::bench::ReportAll(argc > 1 ? std::atoi(argv[1]) : 9);
  if (done.ok()) return 0;
  std::fprintf(stderr, "product_costs: %s\n", std::string(done.message()).c_str());
  return 1;
}
