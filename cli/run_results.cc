#include "cli/run_results.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/hash/digest.h"
#include "base/io/npy_tensor.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "cli/choices.h"
#include "cli/tensor_files.h"
#include "quant/grid/quantized_tensor.h"
#include "serializer/tensor_digest.h"

namespace tally::cli {
namespace {

// The largest choices of the rows of a result.
Json ChoicesOf(std::span<const double> reals, const Shape& shape, int64_t top,
               const std::vector<std::string>& labels) {
  const auto length = static_cast<size_t>(quant::RowLength(shape.dims()));
  Json rows = Json::array();
  for (size_t first = 0; first < reals.size(); first += length) {
    Json row = Json::array();
    for (const NamedChoice& choice : LargestOf(reals.subspan(first, length), top, labels)) {
      row.push_back({{"place", choice.place}, {"name", choice.name}, {"value", choice.value}});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// The results of runs on several samples as one.
absl::StatusOr<Tensor> Stacked(std::span<const Tensor> runs) {
  if (runs.size() == 1) return runs[0];
  ASSIGN_OR_RETURN(const Shape shape, StackedShape(runs[0].shape(), runs.size()));
  Tensor stacked(shape, runs[0].storage());
  uint8_t* next = stacked.mutable_bytes().data();
  for (const Tensor& run : runs) next = std::ranges::copy(run.bytes(), next).out;
  return stacked;
}

// The digests of one run, or a list of those of several.
void AddDigests(std::span<const Tensor> runs, Json& result) {
  if (runs.size() == 1) {
    result["digest"] = ToHex(ValueDigest(runs[0].view()));
    return;
  }
  for (const Tensor& run : runs) result["digests"].push_back(ToHex(ValueDigest(run.view())));
}

}  // namespace

absl::StatusOr<Json> AddResults(const ResultOptions& options, const Metadata& metadata,
                                const std::vector<std::string>& labels,
                                const std::vector<std::vector<Tensor>>& runs, OutputFiles& files) {
  Json results = Json::array();
  for (size_t i = 0; i < runs.size(); ++i) {
    ASSIGN_OR_RETURN(const Tensor tensor, Stacked(runs[i]));
    const auto& [name, quantization] = metadata.results[i];
    const auto grid = quantization ? quant::FromMetadata(*quantization) : quant::QuantizedType{};
    const bool as_floats = options.floats && quantization.has_value();
    std::vector<double> reals;
    if (as_floats || options.top > 0) reals = quant::DequantizeTensor(tensor.view(), grid);
    ASSIGN_OR_RETURN(std::vector<uint8_t> bytes,
                     as_floats ? ToFloatNpy(tensor.shape(), reals) : NpyOf(tensor.view()));
    results.push_back({{"name", name},
                       {"file", files.Add(name, std::move(bytes))},
                       {"shape", tensor.shape().ToString()},
                       {"storage", StorageName(tensor.storage())},
                       {"file_type", as_floats ? std::string_view("f32") : StorageName(tensor.storage())}});
    AddDigests(runs[i], results.back());
    if (options.top > 0) results.back()["largest"] = ChoicesOf(reals, tensor.shape(), options.top, labels);
  }
  return results;
}

void PrintResult(const Json& result, std::ostream& out) {
  out << "result  " << Printable(result["name"].get<std::string>()) << " "
      << result["shape"].get<std::string>() << " " << result["storage"].get<std::string>() << "\n";
  for (const Json& digest : result.value("digests", Json::array({result.value("digest", Json())})))
    out << "  digest " << digest.get<std::string>() << "\n";
  out << "  file   " << Printable(result["file"].get<std::string>()) << "\n";
  for (const Json& row : result.value("largest", Json::array())) {
    const char* separator = "  largest";
    for (const Json& choice : row) {
      out << separator << " " << Printable(choice["name"].get<std::string>()) << " "
          << choice["value"].get<double>();
      separator = ",";
    }
    out << "\n";
  }
}

}  // namespace tally::cli
