// A module in a C++ program: run_module MODULE.tally INPUT.npy prints what a run costs and gives. INPUT.npy
// has bytes in the shape of the module's only parameter.
#include <iostream>

#include "base/digest.h"
#include "base/error.h"
#include "base/npy.h"
#include "base/status_macros.h"
#include "serializer/load_module.h"
#include "serializer/tensor_digest.h"
#include "vm/engine.h"
#include "vm/validator.h"

namespace tally {
namespace {

absl::Status RunModule(const std::string& file, const TensorView& input) {
  ASSIGN_OR_RETURN(Module module, LoadModule(file));                  // a module, or a labelled error
  ASSIGN_OR_RETURN(ValidModule proven, Validate(std::move(module)));  // shapes, bounds, gas
  const auto valid = std::make_shared<const ValidModule>(std::move(proven));
  ASSIGN_OR_RETURN(const auto plan, MakePlan("cpu", valid));  // for any number of threads at once
  const TensorView inputs[] = {input};
  ASSIGN_OR_RETURN(const Outcome outcome, plan->Execute(inputs, {.gas_limit = 20'000'000}));
  std::cout << outcome.gas_used << " gas, digest " << ToHex(ValueDigest(outcome.results[0].view())) << "\n";
  return absl::OkStatus();
}

absl::Status Main(const std::string& module, const std::string& input) {
  ASSIGN_OR_RETURN(const NpyArray array, ReadNpyFile(input));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Create(array.shape));
  return RunModule(module, {Storage::kI8, shape, array.bytes});
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: run_module MODULE.tally INPUT.npy\n";
    return 2;
  }
  const absl::Status status = tally::Main(argv[1], argv[2]);
  if (!status.ok()) std::cerr << "error[" << tally::ErrorLabel(status) << "]: " << status.message() << "\n";
  return status.ok() ? 0 : 1;
}
