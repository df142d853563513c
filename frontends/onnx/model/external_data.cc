#include "frontends/onnx/model/external_data.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/error.h"
#include "base/io/input_file.h"
#include "base/io/path.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/file_pointer.h"
#include "frontends/onnx/model/labels.h"
#include "frontends/onnx/model/tensor_elements.h"

namespace tally::onnx {
namespace {

using ::onnx::GraphProto;
using ::onnx::TensorProto;

// The largest size of a file with weights: what no disk has is refused.
constexpr uint64_t kMaxWeightBytes = uint64_t{1} << 42;

absl::Status Refuse(const TensorProto& tensor, std::string_view why) {
  return MakeError(label::onnx_external_data,
                   absl::StrCat("tensor '", PrintableStart(tensor.name()), "': ", ToAbsl(why)));
}

struct Place {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;  // to the file's end
};

absl::StatusOr<Place> PlaceOf(const TensorProto& tensor) {
  Place place;
  for (const auto& entry : tensor.external_data()) {
    uint64_t number = 0;
    if (entry.key() == "location") {
      place.location = entry.value();
    } else if (entry.key() == "offset" || entry.key() == "length") {
      if (!absl::SimpleAtoi(entry.value(), &number))
        return Refuse(tensor, entry.key() + " is not a number of bytes");
      if (entry.key() == "offset") place.offset = number;
      if (entry.key() == "length") place.length = number;
    }
  }
  if (place.location.empty())
    return Refuse(tensor, "it lies in another file, and the model does not say which");
  return place;
}

// Where `location` leads to. Links are followed first, so that none leads outside unnoticed.
absl::StatusOr<std::string> PathInside(const std::string& folder, const std::string& location,
                                       const TensorProto& tensor) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path root = fs::canonical(PathOf(folder), error);
  if (error) return Refuse(tensor, absl::StrCat("the model's folder cannot be read: ", error.message()));
  const fs::path path = fs::weakly_canonical(root / PathOf(location), error);
  const auto [end_of_root, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  if (error || location.find('\0') != std::string::npos || end_of_root != root.end() || rest == path.end()) {
    return Refuse(tensor,
                  absl::StrCat("'", PrintableStart(location), "' is not a file in the model's folder"));
  }
  return path.generic_string();
}

class Reader {
 public:
  explicit Reader(const std::string& folder) : folder_(folder) {}

  absl::Status Read(GraphProto& graph) {
    for (TensorProto& tensor : *graph.mutable_initializer()) RETURN_IF_ERROR(Read(tensor));
    for (auto& node : *graph.mutable_node()) {
      for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_t()) RETURN_IF_ERROR(Read(*attribute.mutable_t()));
        if (attribute.has_g()) RETURN_IF_ERROR(Read(*attribute.mutable_g()));
        for (TensorProto& tensor : *attribute.mutable_tensors()) RETURN_IF_ERROR(Read(tensor));
        for (GraphProto& body : *attribute.mutable_graphs()) RETURN_IF_ERROR(Read(body));
      }
    }
    return absl::OkStatus();
  }

  uint64_t bytes_read() const { return bytes_read_; }
  void AppendPaths(std::vector<std::string>& paths) const {
    for (const auto& [path, file] : files_) paths.push_back(path);
  }

 private:
  absl::Status Read(TensorProto& tensor) {
    if (CheckHasItsData(tensor).ok()) return absl::OkStatus();
    if (!tensor.raw_data().empty() || tensor.float_data_size() + tensor.int32_data_size() +
                                              tensor.int64_data_size() + tensor.double_data_size() +
                                              tensor.uint64_data_size() >
                                          0) {
      return Refuse(tensor, "it has data in the model and in another file: one of the two is wrong");
    }
    if (folder_.empty())
      return Refuse(tensor, "it lies in another file, and the model has come without its folder");
    ASSIGN_OR_RETURN(const Place place, PlaceOf(tensor));
    ASSIGN_OR_RETURN(const std::string path, PathInside(folder_, place.location, tensor));
    auto file = files_.find(path);
    if (file == files_.end()) {
      ASSIGN_OR_RETURN(InputFile opened, InputFile::Open(path, kMaxWeightBytes));
      bytes_in_files_ += opened.size();
      file = files_.emplace(path, std::move(opened)).first;
    }
    const uint64_t size = file->second.size();
    std::vector<uint8_t> start(std::min<uint64_t>(size, 64));
    RETURN_IF_ERROR(file->second.ReadAt(0, start));
    RETURN_IF_ERROR(frontend::CheckIsNotPointer(start, path));
    const uint64_t length = place.length.value_or(size - std::min(size, place.offset));
    if (place.offset > size || length > size - place.offset) {
      return Refuse(tensor, absl::StrCat("it has ", length, " bytes from ", place.offset, " on, and '",
                                         PrintableStart(place.location), "' has ", size));
    }
    if (length > bytes_in_files_ - bytes_read_) {
      return MakeError(label::model_too_large, "the tensors in other files have more bytes than those files");
    }
    bytes_read_ += length;
    std::string bytes(length, '\0');
    RETURN_IF_ERROR(file->second.ReadAt(place.offset, {reinterpret_cast<uint8_t*>(bytes.data()), length}));
    tensor.clear_external_data();
    tensor.clear_data_location();
    tensor.set_raw_data(std::move(bytes));
    return absl::OkStatus();
  }

  const std::string& folder_;
  std::map<std::string, InputFile> files_;  // by path
  uint64_t bytes_in_files_ = 0, bytes_read_ = 0;
};

}  // namespace

absl::StatusOr<uint64_t> ReadExternalData(const std::string& folder, ::onnx::ModelProto& model,
                                          std::vector<std::string>& files) {
  Reader reader(folder);
  RETURN_IF_ERROR(reader.Read(*model.mutable_graph()));
  reader.AppendPaths(files);
  return reader.bytes_read();
}

}  // namespace tally::onnx
