// Tensors that a model keeps in files beside its own, as exporters write those of more than 2 GiB.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {

// Brings the bytes of every such tensor of `model`, of its bodies and attributes too, into the model.
// Locations are paths relative to `folder`, and nothing outside of it is read, through links neither. Returns
// how many bytes that were: never more than the files have, so that tensors that overlap do not take more
// memory than the disk. Appends the path of each file to `files`.
// Errors: onnx_external_data, where there is no folder (it is empty), a path leads out of it, an offset or a
// length is none, or is past the file's end; model_too_large, where tensors overlap too much; file_open,
// file_size, file_read.
absl::StatusOr<uint64_t> ReadExternalData(const std::string& folder, ::onnx::ModelProto& model,
                                          std::vector<std::string>& files);

}  // namespace tally::onnx
