// Any bytes as a file of samples: an array, an archive, an image, a recording or JSON lines.
//
// A refusal has a label. What opens has samples of the input's size, and reads each the same again.
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cli/samples/open_samples.h"
#include "fuzz/targets/check.h"

namespace tally::cli {
namespace {

void CheckLabel(const absl::Status& refusal) {
  if (ErrorLabel(refusal).empty())
    Check(absl::InternalError("a refusal without a label: " + refusal.ToString()));
}

void CheckSample(Samples& samples, int64_t sample, const SampleForm& form) {
  const auto elements = samples.Read(sample);
  if (!elements.ok()) return CheckLabel(elements.status());
  const auto size = std::visit([](const auto& list) { return std::ssize(list); }, *elements);
  if (size != quant::NumElements(form.shape)) Check(absl::InternalError("a sample of another size"));
  const auto again = samples.Read(sample);
  // NaN is no equal of itself.
  const auto bytes_of = [](const SampleElements& read) {
    return std::visit(
        [](const auto& list) {
          const auto bytes = std::as_bytes(std::span(list));
          return std::vector<std::byte>(bytes.begin(), bytes.end());
        },
        read);
  };
  if (!again.ok() || bytes_of(*again) != bytes_of(*elements))
    Check(absl::InternalError("a sample that reads otherwise the second time"));
}

void CheckForm(const std::string& path, const SampleForm& form) {
  const auto samples = OpenSamples(path, form);
  if (!samples.ok()) return CheckLabel(samples.status());
  const int64_t count = (*samples)->count();
  if (count < 1) Check(absl::InternalError("no samples, and no refusal"));
  for (const int64_t sample : {int64_t{0}, count / 2, count - 1}) CheckSample(**samples, sample, form);
}

}  // namespace
}  // namespace tally::cli

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tally::cli::SampleForm;
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("tally_samples_" + std::to_string(getpid()))).string();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const SampleForm forms[] = {
      {.name = "x", .shape = {2, 2}},
      {.name = "x", .shape = {1, 3, 4, 4}, .fit = {.kind = tally::cli::ImageFit::kCover}, .is_bgr = true},
      {.name = "x", .shape = {1, 16}, .sound = {.rate = 8000, .hop = 3}}};
  for (const SampleForm& form : forms) tally::cli::CheckForm(path, form);
  const auto names = tally::cli::WithArrayNames({path}, 2);
  if (!names.ok()) tally::cli::CheckLabel(names.status());
  std::filesystem::remove(path);
  return 0;
}
