#include "frontends/formats.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/io/file.h"
#include "base/io/path.h"
#include "base/labels.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/coreml/import_coreml.h"
#include "frontends/coreml/model_file.h"
#include "frontends/graph/file_pointer.h"
#include "frontends/graph/labels.h"
#include "frontends/ncnn/import_ncnn.h"
#include "frontends/onnx/exact/import_exact_model.h"
#include "frontends/onnx/float/import_onnx.h"
#include "frontends/openvino/exact/import_exact_ir.h"
#include "frontends/openvino/import_openvino.h"
#include "serializer/mapped_file.h"

namespace tally::frontend {
namespace {

onnx::ImportOptions OnnxOptions(const ImportOptions& options) {
  return {.shapes = options.inputs,
          .folder = options.folder,
          .files_read = options.files_read,
          .dialect = options.dialect == "nhwc" ? onnx::Dialect::kNhwc : onnx::Dialect::kStandard};
}

absl::Status CheckNotForOnnx(const ImportOptions& options, const char* what) {
  const char* option = !options.dialect.empty()       ? "--dialect"
                       : !options.inputs.dims.empty() ? "--dim"
                                                      : nullptr;
  if (option == nullptr) return absl::OkStatus();
  return MakeError(label::model_format, absl::StrCat(option, " is for ONNX files, and this is ", what));
}

// The file of weights that a model has beside it, unless the user has named another.
absl::Status CheckIsThere(const std::string& path, const ImportOptions& options) {
  std::error_code error;
  if (!options.weights.empty() || std::filesystem::exists(PathOf(path), error)) return absl::OkStatus();
  return MakeError(label::file_open,
                   absl::StrCat("the weights of the model are in another file, and there is ", "no '",
                                Printable(path), "': say where, --weights FILE"));
}

// The bytes of a .param and of its .bin: of "net.param" and of "net.param.bin" both "net.bin".
struct NcnnBytes {
  std::span<const uint8_t> param;
  std::vector<uint8_t> weights;
  ncnn::NcnnFiles files() const { return {param, weights}; }
};

absl::StatusOr<NcnnBytes> WithWeights(std::span<const uint8_t> param, const ImportOptions& options) {
  RETURN_IF_ERROR(CheckNotForOnnx(options, "an ncnn model"));
  std::string path = options.weights;
  if (path.empty()) {
    std::filesystem::path beside = PathOf(options.path);
    if (beside.extension() == ".bin") beside.replace_extension();
    path = beside.replace_extension(".bin").generic_string();
  }
  NcnnBytes bytes = {.param = param};
  RETURN_IF_ERROR(CheckIsThere(path, options));
  ASSIGN_OR_RETURN(bytes.weights, ReadFile(path));
  RETURN_IF_ERROR(CheckIsNotPointer(bytes.weights, path));
  if (options.files_read != nullptr) options.files_read->push_back(path);
  return bytes;
}

// The bytes of an .xml, and of the .bin beside it, which a model without constants does not have.
struct IrBytes {
  std::span<const uint8_t> xml;
  std::shared_ptr<const MappedFile> weights;
  openvino::IrFiles files() const {
    return {xml, weights == nullptr ? std::span<const uint8_t>() : weights->bytes(), MappedFile::Forget};
  }
};

absl::StatusOr<IrBytes> WithBin(std::span<const uint8_t> xml, const ImportOptions& options) {
  RETURN_IF_ERROR(CheckNotForOnnx(options, "an OpenVINO model"));
  std::filesystem::path path = PathOf(options.weights);
  if (path.empty()) {
    path = options.path;
    path.replace_extension(".bin");
    std::error_code error;
    const std::string_view text(reinterpret_cast<const char*>(xml.data()), xml.size());
    const bool has_constants = text.find("\"Const\"") != std::string_view::npos;
    if (!has_constants && !std::filesystem::exists(path, error)) return IrBytes{xml, nullptr};
  }
  IrBytes bytes = {.xml = xml};
  RETURN_IF_ERROR(CheckIsThere(path.generic_string(), options));
  ASSIGN_OR_RETURN(bytes.weights, MappedFile::Open(path.generic_string()));
  RETURN_IF_ERROR(CheckIsNotPointer(bytes.weights->bytes(), path.generic_string()));
  if (options.files_read != nullptr) options.files_read->push_back(path.generic_string());
  return bytes;
}

constexpr Format kFormats[] = {
    {.name = "Core ML",
     .files = ".mlmodel or .mlpackage",
     .recognizes = coreml::IsModelFile,
     .import = [](std::span<const uint8_t> file, const ImportOptions& options) -> absl::StatusOr<Network> {
       RETURN_IF_ERROR(CheckNotForOnnx(options, "a Core ML model"));
       return coreml::ImportCoreml(file, options.inputs);
     },
     .check = [](std::span<const uint8_t> file, const ImportOptions& options) -> absl::StatusOr<ModelReport> {
       RETURN_IF_ERROR(CheckNotForOnnx(options, "a Core ML model"));
       return coreml::CheckCoreml(file, options.inputs);
     },
     .import_exactly = [](std::span<const uint8_t>, const ImportOptions&,
                          const std::vector<InputRange>&) -> absl::StatusOr<Module> {
       return MakeError(label::model_unsupported_type,
                        "values of Core ML are floats: `tally quantize` makes a module");
     }},
    {.name = "ONNX",
     .files = ".onnx",
     .recognizes = onnx::IsOnnx,
     .import = [](std::span<const uint8_t> file, const ImportOptions& options) -> absl::StatusOr<Network> {
       return onnx::ImportOnnx(file, OnnxOptions(options));
     },
     .check = [](std::span<const uint8_t> file,
                 const ImportOptions& options) { return onnx::CheckOnnx(file, OnnxOptions(options)); },
     .import_exactly = [](std::span<const uint8_t> file, const ImportOptions& options,
                          const std::vector<InputRange>& ranges) -> absl::StatusOr<Module> {
       if (!options.dialect.empty()) {
         return MakeError(label::model_unsupported_type,
                          "models of the NHWC dialect are of floats: `tally quantize` makes a module");
       }
       return onnx::ImportExactModel(file, {.shapes = options.inputs,
                                            .folder = options.folder,
                                            .files_read = options.files_read,
                                            .ranges = ranges});
     }},
    {.name = "ncnn",
     .files = ".param or .param.bin",
     .recognizes = ncnn::IsNcnn,
     .import = [](std::span<const uint8_t> file, const ImportOptions& options) -> absl::StatusOr<Network> {
       ASSIGN_OR_RETURN(const NcnnBytes bytes, WithWeights(file, options));
       return ncnn::ImportNcnn(bytes.files(), options.inputs);
     },
     .check = [](std::span<const uint8_t> file, const ImportOptions& options) -> absl::StatusOr<ModelReport> {
       ASSIGN_OR_RETURN(const NcnnBytes bytes, WithWeights(file, options));
       return ncnn::CheckNcnn(bytes.files(), options.inputs);
     },
     .import_exactly = [](std::span<const uint8_t>, const ImportOptions&,
                          const std::vector<InputRange>&) -> absl::StatusOr<Module> {
       return MakeError(label::model_unsupported_type,
                        "blobs of ncnn are floats: `tally quantize` makes a module");
     }},
    {.name = "OpenVINO",
     .files = ".xml",
     .recognizes = openvino::IsIr,
     .import = [](std::span<const uint8_t> file, const ImportOptions& options) -> absl::StatusOr<Network> {
       ASSIGN_OR_RETURN(const IrBytes bytes, WithBin(file, options));
       return openvino::ImportOpenVino(bytes.files(), options.inputs);
     },
     .check = [](std::span<const uint8_t> file, const ImportOptions& options) -> absl::StatusOr<ModelReport> {
       ASSIGN_OR_RETURN(const IrBytes bytes, WithBin(file, options));
       return openvino::CheckOpenVino(bytes.files(), options.inputs);
     },
     .import_exactly = [](std::span<const uint8_t> file, const ImportOptions& options,
                          const std::vector<InputRange>& ranges) -> absl::StatusOr<Module> {
       ASSIGN_OR_RETURN(const IrBytes bytes, WithBin(file, options));
       return openvino::ImportExactIr(bytes.files(), options.inputs, ranges);
     }},
};

bool HasAt(std::span<const uint8_t> file, size_t offset, std::string_view text) {
  return file.size() >= offset + text.size() &&
         std::memcmp(file.data() + offset, text.data(), text.size()) == 0;
}

// Whether a file is an archive of zip, and the name of its first entry has one of these in it.
bool ZipBeginsWith(std::span<const uint8_t> file, std::initializer_list<std::string_view> names) {
  constexpr size_t kNameLength = 26, kName = 30;
  if (!HasAt(file, 0, "PK\x03\x04") || file.size() < kName) return false;
  const size_t length = file[kNameLength] + size_t{256} * file[kNameLength + 1];
  const std::span<const uint8_t> name = file.subspan(kName, std::min(length, file.size() - kName));
  const std::string_view text(reinterpret_cast<const char*>(name.data()), name.size());
  return std::ranges::any_of(
      names, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// Files that people have, which are none of the formats, and what to do.
struct OtherFormat {
  const char* what;
  bool (*recognizes)(std::span<const uint8_t> file);
  const char* advice;
};

constexpr char kFromTorch[] =
    "load it in Python and write ONNX, torch.onnx.export(model.eval(), example, \"model.onnx\")";

constexpr OtherFormat kOtherFormats[] = {
    {"a model of TensorFlow Lite", [](std::span<const uint8_t> file) { return HasAt(file, 4, "TFL3"); },
     "convert it, python3 -m tf2onnx.convert --tflite model.tflite --output model.onnx"},
    {"a pointer of Git LFS", IsFilePointer, "fetch the file itself, git lfs pull"},
    {"a zipped package of Core ML",
     [](std::span<const uint8_t> file) {
       return ZipBeginsWith(file, {".mlpackage", "Manifest.json", "Data/"});
     },
     "unpack it and give the folder, unzip model.mlpackage.zip"},
    {"a zipped model",
     [](std::span<const uint8_t> file) {
       return ZipBeginsWith(file, {".onnx", ".xml", ".bin", ".param", ".mlmodel"});
     },
     "unpack it and give the model in it, unzip FILE"},
    {"an archive, as torch.save and TorchScript write them",
     [](std::span<const uint8_t> file) { return HasAt(file, 0, "PK\x03\x04"); }, kFromTorch},
    {"a pickle of Python, as old versions of torch.save write them",
     [](std::span<const uint8_t> file) { return HasAt(file, 0, "\x80\x02"); }, kFromTorch},
    {"a list of weights (safetensors), which says nothing of the network",
     [](std::span<const uint8_t> file) {  // a length of 64 bits, and JSON
       return HasAt(file, 8, "{\"") && file[5] == 0 && file[6] == 0 && file[7] == 0;
     },
     "load them into the network in Python and write ONNX, such as by optimum-cli export onnx --model FOLDER "
     "onnx"},
    {"a list of weights (GGUF), which says nothing of the network",
     [](std::span<const uint8_t> file) { return HasAt(file, 0, "GGUF"); },
     "export the network that it was made of as ONNX, such as by optimum-cli export onnx --model NAME onnx"},
    {"an HDF5 file, as Keras writes them",
     [](std::span<const uint8_t> file) { return HasAt(file, 0, "\x89HDF"); },
     "load it in Python and write ONNX, model.export(\"model.onnx\", format=\"onnx\") or tf2onnx"},
};

}  // namespace

absl::StatusOr<std::string> ModelFileAt(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(PathOf(path) / coreml::kManifest, error)) return path;
  return coreml::ModelInPackage(path);
}

std::span<const Format> AllFormats() { return kFormats; }

absl::StatusOr<const Format*> FormatOf(std::span<const uint8_t> file) {
  for (const OtherFormat& other : kOtherFormats) {
    if (other.recognizes(file))
      return MakeError(label::model_format, absl::StrCat("the file is ", other.what, ": ", other.advice));
  }
  const auto format =
      std::ranges::find_if(kFormats, [&](const Format& candidate) { return candidate.recognizes(file); });
  if (format != std::end(kFormats)) return format;
  std::string names;
  for (const Format& known : kFormats) names += (names.empty() ? "" : ", ") + std::string(known.name);
  return MakeError(label::model_format, "the file is of no format that is imported: " + names);
}

}  // namespace tally::frontend
