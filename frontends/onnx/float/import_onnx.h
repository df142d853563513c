// ONNX models (binary protobuf) as float graphs.
//
//   ASSIGN_OR_RETURN(quant::Graph graph, ImportOnnx(file_bytes));
//   ASSIGN_OR_RETURN(graph, quant::RunPasses(std::move(graph), {}));
//
// Reads the default operator set, opset 7 to 28; operators.inc lists the operators. Shapes become static.
// Identity, Dropout, Flatten, automatic padding, ceil_mode and shape arithmetic are resolved; what moves
// constants, and arithmetic, functions of one value and products of constants are computed, so that a weight
// after them is a constant. Inputs of integers and booleans stay integers. Inputs and outputs keep their
// names.
//
// An If or a Loop that constants decide is its branch or its trips. Where a result's rows are not all meant,
// an output NAME.count after those of the file says of each image how many are.
//
// Quantized models keep their codes and scales: QuantizeLinear is a FakeQuantize, a constant after
// DequantizeLinear has ConstantCodes, operators on quantized tensors (quantized_nodes.inc) and dynamic
// quantization (dynamic_products.h) are written with these two. An input or output of 8 or 16 bits is served
// as such.
//
// A file is untrusted: whatever it holds, the result is a graph that passes quant::Verify, or an error. A
// message about a node names it: "node 12 'conv1' (Conv, ai.onnx opset 13): ...".
//
// Errors: onnx_size                    the file is larger than protobuf can read (2 GiB)
//         onnx_parse                   the bytes are not an ONNX protobuf
//         model_malformed              the model breaks ONNX's own rules
//         onnx_unsupported_ir_version  neither 3 to 13
//         onnx_unsupported_opset       the default operator set is not 7 to 28
//         model_unsupported_operator   an operator, or its version, that operators.inc does not list
//         model_unsupported_attribute  an attribute, or its value, that has no meaning here
//         model_unsupported_operand    an operand that must be a constant is computed at run time
//         model_unsupported_output     something reads a mask, indices or statistics
//         model_unsupported_type       an element type, or a kind of tensor, that has no meaning here
//         onnx_external_data           a tensor is in another file, and not within reach (external_data.h)
//         model_nan_weight             a constant holds NaN or an infinity, as float32
//         model_open_dimension         the file leaves a dimension open that nothing fixes
//         model_shape                  a shape contradicts another, or is too large
//         model_name                   the name of an input or output is too long for a module
//         model_too_large              too many values, or constants too large for the file's size
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "frontends/graph/interface.h"
#include "frontends/graph/report.h"
#include "frontends/onnx/model/dialect.h"
#include "quant/graph/graph.h"

namespace tally::onnx {

struct ImportOptions {
  // The user's description of inputs.
  frontend::GivenInputs shapes;

  // Where the file is, and those that hold tensors of it; where it is empty, such a model is refused.
  std::string folder;
  std::vector<std::string>* files_read = nullptr;  // gets the paths of those, ascending

  // The meaning of its operators. Evidence in a file of another dialect than this is refused where it is met.
  Dialect dialect = Dialect::kStandard;

  // Reads BatchNormalization in training mode with its stored statistics. The file says to normalize with
  // those of the batch. Exporters write that by mistake for a model that was left in training mode, but on
  // purpose for layers without running statistics (instance normalization among them), so only the user can
  // allow it.
  bool batch_norm_training_as_inference = false;
};

// Whether the file begins as an ONNX file does: with a field of its message.
bool IsOnnx(std::span<const uint8_t> bytes);

absl::StatusOr<quant::Graph> ImportOnnx(std::span<const uint8_t> bytes, const ImportOptions& options = {});

// All that ImportOnnx refuses of a file, not the first alone. Errors: those of the file as a whole:
// onnx_size, onnx_parse, onnx_unsupported_ir_version, onnx_unsupported_opset, and model_malformed for no
// operator set or two.
absl::StatusOr<frontend::ModelReport> CheckOnnx(std::span<const uint8_t> bytes,
                                                const ImportOptions& options = {});

}  // namespace tally::onnx
