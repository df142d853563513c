#include "tests/disputes/altered_run.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "engines/engine.h"

namespace tally {
namespace {

size_t Below(size_t count, std::mt19937_64& random) { return random() % count; }

// Another value that the storage holds.
void ChangeElement(Tensor& tensor, std::mt19937_64& random) {
  const auto element =
      static_cast<int64_t>(Below(static_cast<size_t>(tensor.shape().num_elements()), random));
  const Interval range = RangeOf(tensor.storage());
  int64_t value = tensor.view().at(element);
  const int64_t before = value;
  while (value == before) {
    // Often by one, where a result may still come out right.
    value = random() % 2 == 0 && before < range.hi ? before + 1
                                                   : static_cast<int64_t>(random() >> (random() % 64));
    value = std::clamp(value, range.lo, range.hi);
    if (value == before && value == range.hi) value = range.lo;
  }
  StoreElement(tensor.storage(), tensor.mutable_bytes().data(), element, value);
}

void ChangeElements(Tensor& tensor, std::mt19937_64& random) {
  for (size_t i = 0; i <= Below(3, random); ++i) ChangeElement(tensor, random);
}

Tensor InWiderStorage(const Tensor& tensor) {
  if (tensor.storage() == Storage::kI64) return tensor;
  return Tensor::Copy(tensor.view(), static_cast<Storage>(static_cast<int>(tensor.storage()) + 1));
}

// The same elements with an axis more, or in a list.
Tensor InOtherShape(const Tensor& tensor, std::mt19937_64& random) {
  std::vector<int64_t> dims(tensor.shape().dims().begin(), tensor.shape().dims().end());
  if (dims.size() < 2 || random() % 2 == 0) {
    dims.insert(dims.begin(), 1);
  } else {
    dims = {tensor.shape().num_elements()};
  }
  const auto shape = Shape::Create(dims);
  if (!shape.ok()) return tensor;
  return Tensor::Copy({tensor.storage(), *shape, tensor.bytes()}, tensor.storage());
}

// A run of other inputs, or of other weights, that is claimed to be the honest one.
void RunAnother(const ValidModule& module, RecordedRun& run, std::mt19937_64& random) {
  std::vector<Tensor> inputs = run.inputs;
  if (inputs.empty()) return;
  Tensor& input = inputs[Below(inputs.size(), random)];
  const Interval interval =
      module.functions()[0].params[static_cast<size_t>(&input - inputs.data())].interval;
  for (int64_t i = 0; i < input.shape().num_elements(); ++i) {
    if (random() % 2 == 0) StoreElement(input.storage(), input.mutable_bytes().data(), i, interval.hi);
  }
  std::vector<TensorView> views;
  for (const Tensor& tensor : inputs) views.push_back(tensor.view());
  const auto shared = std::make_shared<const ValidModule>(module);
  auto other = RecordedRun::Of(ClaimedModule(*shared), **MakePlan("reference", shared), views);
  if (!other.ok()) return;
  run.results = std::move(other->results);
  run.trace = std::move(other->trace);
  run.values = std::move(other->values);
}

using Change = std::function<void(RecordedRun&)>;

}  // namespace

AlteredRun Alter(const ValidModule& module, const RecordedRun& honest, std::mt19937_64& random) {
  const size_t at = honest.values.empty() ? 0 : Below(honest.values.size(), random);
  const bool has_values = !honest.values.empty(), has_inputs = !honest.inputs.empty();
  const size_t result = Below(honest.results.size(), random);
  const size_t input = has_inputs ? Below(honest.inputs.size(), random) : 0;
  const std::pair<std::string, Change> changes[] = {
      {"elements of a value",
       [&](RecordedRun& r) {
         if (has_values) ChangeElements(r.values[at], random);
       }},
      {"elements of several values",
       [&](RecordedRun& r) {
         for (size_t i = 0; has_values && i < 3; ++i)
           ChangeElements(r.values[Below(r.values.size(), random)], random);
       }},
      {"all values of another run", [&](RecordedRun& r) { RunAnother(module, r, random); }},
      {"elements of a result", [&](RecordedRun& r) { ChangeElements(r.results[result], random); }},
      {"the storage of a value",
       [&](RecordedRun& r) {
         if (has_values) r.values[at] = InWiderStorage(r.values[at]);
       }},
      {"the shape of a value",
       [&](RecordedRun& r) {
         if (has_values) r.values[at] = InOtherShape(r.values[at], random);
       }},
      {"the storage of a result",
       [&](RecordedRun& r) { r.results[result] = InWiderStorage(r.results[result]); }},
      {"the shape of a result",
       [&](RecordedRun& r) { r.results[result] = InOtherShape(r.results[result], random); }},
      {"the shape of an input",
       [&](RecordedRun& r) {
         if (has_inputs) r.inputs[input] = InOtherShape(r.inputs[input], random);
       }},
      {"a result more", [&](RecordedRun& r) { r.results.push_back(r.results[result]); }},
      {"an input less",
       [&](RecordedRun& r) {
         if (has_inputs) r.inputs.pop_back();
       }},
      {"the gas", [&](RecordedRun& r) { r.claim.gas += 1 + random() % 1000; }},
      {"an entry less",
       [&](RecordedRun& r) {
         if (!has_values) return;
         r.trace.erase(r.trace.begin() + static_cast<int64_t>(at));
         r.values.erase(r.values.begin() + static_cast<int64_t>(at));
       }},
      {"an entry twice",
       [&](RecordedRun& r) {
         if (!has_values) return;
         r.trace.insert(r.trace.begin() + static_cast<int64_t>(at), TraceEntry(r.trace[at]));
         r.values.insert(r.values.begin() + static_cast<int64_t>(at), Tensor(r.values[at]));
       }},
      {"two entries in the other order",
       [&](RecordedRun& r) {
         const size_t other = has_values ? Below(r.trace.size(), random) : 0;
         if (other == at) return;
         std::swap(r.trace[at], r.trace[other]);
         std::swap(r.values[at], r.values[other]);
       }},
      {"the name of an entry",
       [&](RecordedRun& r) {
         if (has_values) r.trace[at].id += static_cast<ValueId>(1 + Below(3, random));
       }},
      {"the path of an entry",
       [&](RecordedRun& r) {
         if (!has_values) return;
         auto& path = r.trace[at].path;
         if (path.empty() || random() % 2 == 0) {
           path.push_back({static_cast<int64_t>(Below(4, random)), static_cast<int64_t>(Below(3, random))});
         } else {
           path.back().invocation += 1;
         }
       }},
  };
  const auto& [what, change] = changes[Below(std::size(changes), random)];
  AlteredRun altered = {honest, what};
  change(altered.run);
  altered.run.CommitToTensors();
  return altered;
}

}  // namespace tally
