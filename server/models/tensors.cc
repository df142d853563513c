#include "server/models/tensors.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>

#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/grid/given_values.h"
#include "quant/grid/quantized_tensor.h"
#include "server/labels.h"

namespace tally::server {
namespace {

absl::Status NotTaken(std::string_view what) { return MakeError(label::request_tensor, what); }

std::string TextOfShape(const std::vector<int64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size() && i < 16; ++i) absl::StrAppend(&text, i > 0 ? ", " : "", shape[i]);
  return text + (shape.size() > 16 ? ", ...]" : "]");
}

template <typename T>
std::vector<T> ElementsAs(std::string_view data) {
  std::vector<T> elements(data.size() / sizeof(T));
  if (!data.empty()) std::memcpy(elements.data(), data.data(), data.size());
  return elements;
}

// The storage whose elements have the bytes of a datatype; nothing where none has.
std::optional<Storage> StorageLike(Datatype datatype) {
  switch (datatype) {
    case Datatype::kInt8: return Storage::kI8;
    case Datatype::kInt16: return Storage::kI16;
    case Datatype::kInt32: return Storage::kI32;
    case Datatype::kInt64: return Storage::kI64;
    default: return std::nullopt;
  }
}

template <typename T>
Tensor TensorOf(std::string_view data, const TensorType& type) {
  const std::vector<T> elements = ElementsAs<T>(data);
  std::vector<int64_t> integers(elements.size());
  std::ranges::transform(elements, integers.begin(), [](T element) {
    // No interval has integers beyond those of 64 bits with a sign.
    if constexpr (std::is_same_v<T, uint64_t>)
      return static_cast<int64_t>(std::min<uint64_t>(element, std::numeric_limits<int64_t>::max()));
    return static_cast<int64_t>(element);
  });
  return quant::GivenIntegers(integers, type);
}

absl::StatusOr<Tensor> TensorOf(const InputTensor& input, const ValueInfo& info, const TensorType& type) {
  if (StorageLike(input.datatype) == type.storage()) {
    Tensor tensor(type.shape, type.storage());
    std::memcpy(tensor.mutable_bytes().data(), input.data.data(), input.data.size());
    return tensor;
  }
  switch (input.datatype) {
    case Datatype::kBool:
    case Datatype::kUint8: return TensorOf<uint8_t>(input.data, type);
    case Datatype::kInt8: return TensorOf<int8_t>(input.data, type);
    case Datatype::kInt16: return TensorOf<int16_t>(input.data, type);
    case Datatype::kUint16: return TensorOf<uint16_t>(input.data, type);
    case Datatype::kInt32: return TensorOf<int32_t>(input.data, type);
    case Datatype::kUint32: return TensorOf<uint32_t>(input.data, type);
    case Datatype::kInt64: return TensorOf<int64_t>(input.data, type);
    case Datatype::kUint64: return TensorOf<uint64_t>(input.data, type);
    case Datatype::kFp32: break;
  }
  return quant::GivenReals(ElementsAs<float>(input.data), info, type, label::request_tensor);
}

template <typename To>
void AppendElement(int64_t value, std::string& data) {
  const To element = static_cast<To>(value);
  data.append(reinterpret_cast<const char*>(&element), sizeof element);
}

std::string DataOf(const TensorView& result, Datatype datatype, const ValueInfo& info) {
  if (StorageLike(datatype) == result.storage) {
    return std::string(reinterpret_cast<const char*>(result.bytes.data()), result.bytes.size());
  }
  std::string data;
  data.reserve(static_cast<size_t>(result.shape.num_elements() * SizeBytes(datatype)));
  if (datatype == Datatype::kFp32) {
    for (const double real : quant::DequantizeTensor(result, quant::FromMetadata(*info.quantization))) {
      const float element = static_cast<float>(real);
      data.append(reinterpret_cast<const char*>(&element), sizeof element);
    }
    return data;
  }
  // The metadata has the narrowest datatype of the interval, so that all values fit: otherwise these three.
  for (int64_t i = 0; i < result.shape.num_elements(); ++i) {
    switch (datatype) {
      case Datatype::kUint8: AppendElement<uint8_t>(result.at(i), data); break;
      case Datatype::kUint16: AppendElement<uint16_t>(result.at(i), data); break;
      default: AppendElement<uint32_t>(result.at(i), data); break;
    }
  }
  return data;
}

// The place of a name among tensors.
std::optional<size_t> PlaceOf(const std::vector<TensorInfo>& infos, const std::string& name) {
  const auto found = std::ranges::find(infos, name, &TensorInfo::name);
  if (found == infos.end()) return std::nullopt;
  return static_cast<size_t>(found - infos.begin());
}

OutputTensor OutputOf(const ServedModel& model, const std::vector<Tensor>& results, size_t place,
                      std::optional<Datatype> datatype, bool binary) {
  const TensorInfo& info = model.outputs()[place];
  const Datatype as = datatype.value_or(info.datatype);
  return {info.name, as, info.shape,
          DataOf(results[place].view(), as, model.module().module().metadata.results[place]), binary};
}

}  // namespace

absl::StatusOr<std::vector<Tensor>> InputsOf(const InferRequest& request, const ServedModel& model) {
  const std::vector<TensorInfo>& infos = model.inputs();
  std::vector<const InputTensor*> given(infos.size(), nullptr);
  for (const InputTensor& input : request.inputs) {
    const std::optional<size_t> place = PlaceOf(infos, input.name);
    if (!place) return NotTaken(absl::StrCat("the model has no input '", PrintableStart(input.name), "'"));
    if (given[*place] != nullptr)
      return NotTaken(absl::StrCat("input '", Printable(input.name), "' is given twice"));
    given[*place] = &input;
  }
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < infos.size(); ++i) {
    const std::string name = Printable(infos[i].name);
    if (given[i] == nullptr) return NotTaken(absl::StrCat("input '", name, "' is missing"));
    const InputTensor& input = *given[i];
    if (input.shape != infos[i].shape) {
      return NotTaken(absl::StrCat("input '", name, "' has shape ", TextOfShape(input.shape),
                                   ", and the model takes ", TextOfShape(infos[i].shape)));
    }
    const TensorType& type = model.module().functions()[0].params[i];
    const auto size = static_cast<uint64_t>(type.shape.num_elements() * SizeBytes(input.datatype));
    if (input.data.size() != size) {
      return NotTaken(absl::StrCat("input '", name, "' has ", input.data.size(),
                                   " bytes of data, and its shape ", "and datatype ", size));
    }
    ASSIGN_OR_RETURN(Tensor tensor, TensorOf(input, model.module().module().metadata.params[i], type));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

absl::Status CheckOutputs(const InferRequest& request, const ServedModel& model) {
  for (const RequestedOutput& output : request.outputs) {
    const std::optional<size_t> place = PlaceOf(model.outputs(), output.name);
    if (!place) return NotTaken(absl::StrCat("the model has no output '", PrintableStart(output.name), "'"));
    if (output.datatype == Datatype::kFp32 && !model.module().module().metadata.results[*place].quantization)
      return NotTaken(
          absl::StrCat("output '", Printable(output.name), "' has no grid, so that it is not FP32"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<OutputTensor>> OutputsOf(const InferRequest& request, const ServedModel& model,
                                                    const std::vector<Tensor>& results) {
  RETURN_IF_ERROR(CheckOutputs(request, model));
  std::vector<OutputTensor> outputs;
  for (const RequestedOutput& output : request.outputs) {
    outputs.push_back(OutputOf(model, results, *PlaceOf(model.outputs(), output.name), output.datatype,
                               output.binary.value_or(request.binary_outputs)));
  }
  if (!request.outputs.empty()) return outputs;
  for (size_t i = 0; i < results.size(); ++i)
    outputs.push_back(OutputOf(model, results, i, std::nullopt, request.binary_outputs));
  return outputs;
}

}  // namespace tally::server
