// ONNX's own cases: each is a model of a node or two, with inputs and the outputs that ONNX's reference
// gives.
//
// The cases leave weights open as graph inputs; where an operator needs them as constants, they become
// initializers. Each case must either give the expected output, or be refused with the label that its row
// states.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontends/onnx/decode_tensor.h"
#include "frontends/onnx/import_onnx.h"
#include "quant/graph/float_executor.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

using ::onnx::ModelProto;
using ::onnx::TensorProto;
using quant::FloatTensor;
using quant::Int64Tensor;
using quant::Tensor;

constexpr char kData[] = "../onnx/share/libonnx-testdata/data/";

struct Case {
  const char* folder;
  const char* refusal = "";  // the label, where a refusal is expected
};

void PrintTo(const Case& test_case, std::ostream* stream) { *stream << test_case.folder; }

std::string ReadFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// input_0.pb, input_1.pb, ...
std::vector<TensorProto> ReadTensors(const std::string& prefix) {
  std::vector<TensorProto> tensors;
  while (true) {
    const std::string bytes = ReadFile(prefix + std::to_string(tensors.size()) + ".pb");
    if (bytes.empty()) return tensors;
    EXPECT_TRUE(tensors.emplace_back().ParseFromString(bytes));
  }
}

absl::StatusOr<quant::Graph> Import(const ModelProto& model) {
  const std::string bytes = model.SerializeAsString();
  return ImportOnnx({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

// Imports with every input but the first `num_open` as an initializer.
absl::StatusOr<quant::Graph> ImportWith(ModelProto model, const std::vector<TensorProto>& inputs,
                                        size_t num_open) {
  for (size_t i = num_open; i < inputs.size(); ++i) {
    TensorProto* initializer = model.mutable_graph()->add_initializer();
    *initializer = inputs[i];
    initializer->set_name(model.graph().input(static_cast<int>(i)).name());
  }
  return Import(model);
}

void ExpectNear(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(quant::TypeOf(actual), quant::TypeOf(expected));
  if (const auto* integers = std::get_if<Int64Tensor>(&expected)) {
    EXPECT_EQ(std::get<Int64Tensor>(actual).data, integers->data);
    return;
  }
  const std::vector<float>& a = std::get<FloatTensor>(actual).data;
  const std::vector<float>& e = std::get<FloatTensor>(expected).data;
  for (size_t i = 0; i < e.size(); ++i)
    ASSERT_NEAR(a[i], e[i], 1e-5 * (1 + std::abs(e[i]))) << "element " << i;
}

class Conformance : public testing::TestWithParam<Case> {};

TEST_P(Conformance, GivesTheExpectedOutputsOrTheStatedRefusal) {
  const std::string folder = std::string(kData) + GetParam().folder;
  ModelProto model;
  ASSERT_TRUE(model.ParseFromString(ReadFile(folder + "/model.onnx"))) << "no model in " << folder;
  ASSERT_TRUE(model.has_graph()) << "no model in " << folder << "; is libonnx-testdata installed?";
  // Some cases are of opset 1 or 6; their operators came into opset 7 as they were.
  for (auto& import : *model.mutable_opset_import()) {
    if (import.version() < 7) import.set_version(7);
  }
  const std::vector<TensorProto> inputs = ReadTensors(folder + "/test_data_set_0/input_");
  const std::vector<TensorProto> outputs = ReadTensors(folder + "/test_data_set_0/output_");

  size_t num_open = inputs.size();
  auto graph = ImportWith(model, inputs, num_open);
  if (!graph.ok() && inputs.size() > 1) {
    num_open = 1;
    graph = ImportWith(model, inputs, num_open);
  }
  if (!graph.ok()) {  // what only constants can be, such as lists that become shapes
    num_open = 0;
    graph = ImportWith(model, inputs, num_open);
  }
  ASSERT_EQ(ErrorLabel(graph.status()), GetParam().refusal) << graph.status();
  if (!graph.ok()) return;

  EXPECT_TRUE(quant::Verify(*graph).ok()) << quant::Verify(*graph);
  std::vector<FloatTensor> arguments;
  for (size_t i = 0; i < num_open; ++i) arguments.push_back(std::get<FloatTensor>(*DecodeTensor(inputs[i])));
  const auto results = quant::RunGraph(*graph, arguments);
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) ExpectNear((*results)[i], *DecodeTensor(outputs[i]));
}

std::string NameOf(const testing::TestParamInfo<Case>& info) {
  const std::string folder = info.param.folder;
  return folder.substr(folder.rfind('/') + 1);
}

// Without test_resize_downsample_scales_linear_align_corners, which takes 2.4 for the length of a result that has 2 points,
// so that none of them is the last corner.
constexpr Case kCases[] = {
    {"node/test_abs"},
    {"node/test_acos"},
    {"node/test_acos_example"},
    {"node/test_acosh"},
    {"node/test_acosh_example"},
    {"node/test_add"},
    {"node/test_add_bcast"},
    {"node/test_add_uint8", "onnx_unsupported_type"},
    {"node/test_argmax_default_axis_example"},
    {"node/test_argmax_default_axis_example_select_last_index", "onnx_unsupported_attribute"},
    {"node/test_argmax_default_axis_random"},
    {"node/test_argmax_default_axis_random_select_last_index", "onnx_unsupported_attribute"},
    {"node/test_argmax_keepdims_example"},
    {"node/test_argmax_keepdims_example_select_last_index", "onnx_unsupported_attribute"},
    {"node/test_argmax_keepdims_random"},
    {"node/test_argmax_keepdims_random_select_last_index", "onnx_unsupported_attribute"},
    {"node/test_argmax_negative_axis_keepdims_example"},
    {"node/test_argmax_negative_axis_keepdims_example_select_last_index", "onnx_unsupported_attribute"},
    {"node/test_argmax_negative_axis_keepdims_random"},
    {"node/test_argmax_negative_axis_keepdims_random_select_last_index", "onnx_unsupported_attribute"},
    {"node/test_argmax_no_keepdims_example"},
    {"node/test_argmax_no_keepdims_example_select_last_index", "onnx_unsupported_attribute"},
    {"node/test_argmax_no_keepdims_random"},
    {"node/test_argmax_no_keepdims_random_select_last_index", "onnx_unsupported_attribute"},
    {"node/test_asin"},
    {"node/test_asin_example"},
    {"node/test_asinh"},
    {"node/test_asinh_example"},
    {"node/test_atan"},
    {"node/test_atan_example"},
    {"node/test_atanh"},
    {"node/test_atanh_example"},
    {"node/test_averagepool_1d_default"},
    {"node/test_averagepool_2d_ceil"},
    {"node/test_averagepool_2d_default"},
    {"node/test_averagepool_2d_pads"},
    {"node/test_averagepool_2d_pads_count_include_pad"},
    {"node/test_averagepool_2d_precomputed_pads"},
    {"node/test_averagepool_2d_precomputed_pads_count_include_pad"},
    {"node/test_averagepool_2d_precomputed_same_upper"},
    {"node/test_averagepool_2d_precomputed_strides"},
    {"node/test_averagepool_2d_same_lower"},
    {"node/test_averagepool_2d_same_upper"},
    {"node/test_averagepool_2d_strides"},
    {"node/test_averagepool_3d_default", "onnx_shape"},
    {"node/test_basic_conv_with_padding"},
    {"node/test_basic_conv_without_padding"},
    {"node/test_batchnorm_epsilon"},
    {"node/test_batchnorm_epsilon_training_mode", "onnx_unsupported_attribute"},
    {"node/test_batchnorm_example"},
    {"node/test_batchnorm_example_training_mode", "onnx_unsupported_attribute"},
    {"node/test_cast_BFLOAT16_to_FLOAT", "onnx_unsupported_type"},
    {"node/test_cast_DOUBLE_to_FLOAT"},
    {"node/test_cast_FLOAT16_to_DOUBLE"},
    {"node/test_cast_FLOAT16_to_FLOAT"},
    {"node/test_cast_FLOAT_to_BFLOAT16", "onnx_unsupported_type"},
    {"node/test_cast_FLOAT_to_DOUBLE"},
    {"node/test_cast_FLOAT_to_STRING", "onnx_unsupported_type"},
    {"node/test_cast_STRING_to_FLOAT", "onnx_unsupported_type"},
    {"node/test_ceil"},
    {"node/test_ceil_example"},
    {"node/test_celu"},
    {"node/test_celu_expanded"},
    {"node/test_clip"},
    {"node/test_clip_default_inbounds"},
    {"node/test_clip_default_int8_inbounds", "onnx_unsupported_type"},
    {"node/test_clip_default_int8_max", "onnx_unsupported_type"},
    {"node/test_clip_default_int8_min", "onnx_unsupported_type"},
    {"node/test_clip_default_max"},
    {"node/test_clip_default_min"},
    {"node/test_clip_example"},
    {"node/test_clip_inbounds"},
    {"node/test_clip_outbounds"},
    {"node/test_clip_splitbounds"},
    {"node/test_concat_1d_axis_0"},
    {"node/test_concat_1d_axis_negative_1"},
    {"node/test_concat_2d_axis_0"},
    {"node/test_concat_2d_axis_1"},
    {"node/test_concat_2d_axis_negative_1"},
    {"node/test_concat_2d_axis_negative_2"},
    {"node/test_concat_3d_axis_0"},
    {"node/test_concat_3d_axis_1"},
    {"node/test_concat_3d_axis_2"},
    {"node/test_concat_3d_axis_negative_1"},
    {"node/test_concat_3d_axis_negative_2"},
    {"node/test_concat_3d_axis_negative_3"},
    {"node/test_constant"},
    {"node/test_constant_pad"},
    {"node/test_constantofshape_float_ones"},
    {"node/test_constantofshape_int_shape_zero", "onnx_shape"},
    {"node/test_constantofshape_int_zeros"},
    {"node/test_conv_with_autopad_same"},
    {"node/test_conv_with_strides_and_asymmetric_padding"},
    {"node/test_conv_with_strides_no_padding"},
    {"node/test_conv_with_strides_padding"},
    {"node/test_convtranspose"},
    {"node/test_convtranspose_1d"},
    {"node/test_convtranspose_3d", "onnx_shape"},
    {"node/test_convtranspose_autopad_same"},
    {"node/test_convtranspose_dilations"},
    {"node/test_convtranspose_kernel_shape"},
    {"node/test_convtranspose_output_shape"},
    {"node/test_convtranspose_pad"},
    {"node/test_convtranspose_pads"},
    {"node/test_convtranspose_with_kernel"},
    {"node/test_cos"},
    {"node/test_cos_example"},
    {"node/test_cosh"},
    {"node/test_cosh_example"},
    {"node/test_depthtospace_crd_mode"},
    {"node/test_depthtospace_crd_mode_example"},
    {"node/test_depthtospace_dcr_mode"},
    {"node/test_depthtospace_example"},
    {"node/test_div"},
    {"node/test_div_bcast"},
    {"node/test_div_example"},
    {"node/test_div_uint8", "onnx_unsupported_type"},
    {"node/test_dropout_default"},
    {"node/test_dropout_default_mask", "onnx_unsupported_output"},
    {"node/test_dropout_default_mask_ratio", "onnx_unsupported_output"},
    {"node/test_dropout_default_old"},
    {"node/test_dropout_default_ratio"},
    {"node/test_dropout_random_old"},
    {"node/test_edge_pad"},
    {"node/test_elu"},
    {"node/test_elu_default"},
    {"node/test_elu_example"},
    {"node/test_erf"},
    {"node/test_exp"},
    {"node/test_exp_example"},
    {"node/test_expand_dim_changed"},
    {"node/test_expand_dim_unchanged"},
    {"node/test_flatten_axis0"},
    {"node/test_flatten_axis1"},
    {"node/test_flatten_axis2"},
    {"node/test_flatten_axis3"},
    {"node/test_flatten_default_axis"},
    {"node/test_flatten_negative_axis1"},
    {"node/test_flatten_negative_axis2"},
    {"node/test_flatten_negative_axis3"},
    {"node/test_flatten_negative_axis4"},
    {"node/test_floor"},
    {"node/test_floor_example"},
    {"node/test_gather_0"},
    {"node/test_gather_1"},
    {"node/test_gather_2d_indices"},
    {"node/test_gather_negative_indices"},
    {"node/test_gemm_all_attributes"},
    {"node/test_gemm_alpha"},
    {"node/test_gemm_beta"},
    {"node/test_gemm_default_matrix_bias"},
    {"node/test_gemm_default_no_bias"},
    {"node/test_gemm_default_scalar_bias"},
    {"node/test_gemm_default_single_elem_vector_bias"},
    {"node/test_gemm_default_vector_bias"},
    {"node/test_gemm_default_zero_bias"},
    {"node/test_gemm_transposeA"},
    {"node/test_gemm_transposeB"},
    {"node/test_globalaveragepool"},
    {"node/test_globalaveragepool_precomputed"},
    {"node/test_globalmaxpool"},
    {"node/test_globalmaxpool_precomputed"},
    {"node/test_hardsigmoid"},
    {"node/test_hardsigmoid_default"},
    {"node/test_hardsigmoid_example"},
    {"node/test_hardswish"},
    {"node/test_hardswish_expanded"},
    {"node/test_identity"},
    {"node/test_identity_opt", "onnx_unsupported_type"},
    {"node/test_identity_sequence", "onnx_unsupported_type"},
    {"node/test_leakyrelu"},
    {"node/test_leakyrelu_default"},
    {"node/test_leakyrelu_example"},
    {"node/test_log"},
    {"node/test_log_example"},
    {"node/test_matmul_2d"},
    {"node/test_matmul_3d"},
    {"node/test_matmul_4d"},
    {"node/test_max_example"},
    {"node/test_max_float16"},
    {"node/test_max_float32"},
    {"node/test_max_float64"},
    {"node/test_max_int16", "onnx_unsupported_type"},
    {"node/test_max_int32", "onnx_unsupported_type"},
    {"node/test_max_int64", "onnx_unsupported_type"},
    {"node/test_max_int8", "onnx_unsupported_type"},
    {"node/test_max_one_input"},
    {"node/test_max_two_inputs"},
    {"node/test_max_uint16", "onnx_unsupported_type"},
    {"node/test_max_uint32", "onnx_unsupported_type"},
    {"node/test_max_uint64", "onnx_unsupported_type"},
    {"node/test_max_uint8", "onnx_unsupported_type"},
    {"node/test_maxpool_1d_default"},
    {"node/test_maxpool_2d_ceil"},
    {"node/test_maxpool_2d_default"},
    {"node/test_maxpool_2d_dilations", "onnx_unsupported_attribute"},
    {"node/test_maxpool_2d_pads"},
    {"node/test_maxpool_2d_precomputed_pads"},
    {"node/test_maxpool_2d_precomputed_same_upper"},
    {"node/test_maxpool_2d_precomputed_strides"},
    {"node/test_maxpool_2d_same_lower"},
    {"node/test_maxpool_2d_same_upper"},
    {"node/test_maxpool_2d_strides"},
    {"node/test_maxpool_2d_uint8", "onnx_unsupported_type"},
    {"node/test_maxpool_3d_default", "onnx_shape"},
    {"node/test_maxpool_with_argmax_2d_precomputed_pads", "onnx_unsupported_output"},
    {"node/test_maxpool_with_argmax_2d_precomputed_strides", "onnx_unsupported_output"},
    {"node/test_mean_example"},
    {"node/test_mean_one_input"},
    {"node/test_mean_two_inputs"},
    {"node/test_min_example"},
    {"node/test_min_float16"},
    {"node/test_min_float32"},
    {"node/test_min_float64"},
    {"node/test_min_int16", "onnx_unsupported_type"},
    {"node/test_min_int32", "onnx_unsupported_type"},
    {"node/test_min_int64", "onnx_unsupported_type"},
    {"node/test_min_int8", "onnx_unsupported_type"},
    {"node/test_min_one_input"},
    {"node/test_min_two_inputs"},
    {"node/test_min_uint16", "onnx_unsupported_type"},
    {"node/test_min_uint32", "onnx_unsupported_type"},
    {"node/test_min_uint64", "onnx_unsupported_type"},
    {"node/test_min_uint8", "onnx_unsupported_type"},
    {"node/test_mul"},
    {"node/test_mul_bcast"},
    {"node/test_mul_example"},
    {"node/test_mul_uint8", "onnx_unsupported_type"},
    {"node/test_neg"},
    {"node/test_neg_example"},
    {"node/test_nonzero_example"},
    {"node/test_pow", "onnx_unsupported_operand"},
    {"node/test_pow_bcast_array", "onnx_unsupported_operand"},
    {"node/test_pow_bcast_scalar"},
    {"node/test_pow_example", "onnx_unsupported_operand"},
    {"node/test_pow_types_float", "onnx_unsupported_type"},
    {"node/test_pow_types_float32_int32", "onnx_unsupported_operand"},
    {"node/test_pow_types_float32_int64", "onnx_unsupported_operand"},
    {"node/test_pow_types_float32_uint32", "onnx_unsupported_type"},
    {"node/test_pow_types_float32_uint64", "onnx_unsupported_type"},
    {"node/test_pow_types_int", "onnx_unsupported_operand"},
    {"node/test_pow_types_int32_float32", "onnx_unsupported_type"},
    {"node/test_pow_types_int32_int32", "onnx_unsupported_type"},
    {"node/test_pow_types_int64_float32", "onnx_unsupported_type"},
    {"node/test_pow_types_int64_int64", "onnx_unsupported_type"},
    {"node/test_prelu_broadcast"},
    {"node/test_prelu_example"},
    {"node/test_range_float_type_positive_delta"},
    {"node/test_range_int32_type_negative_delta"},
    {"node/test_reciprocal"},
    {"node/test_reciprocal_example"},
    {"node/test_reduce_max_default_axes_keepdim_example"},
    {"node/test_reduce_max_default_axes_keepdims_random"},
    {"node/test_reduce_max_do_not_keepdims_example"},
    {"node/test_reduce_max_do_not_keepdims_random"},
    {"node/test_reduce_max_keepdims_example"},
    {"node/test_reduce_max_keepdims_random"},
    {"node/test_reduce_max_negative_axes_keepdims_example"},
    {"node/test_reduce_max_negative_axes_keepdims_random"},
    {"node/test_reduce_mean_default_axes_keepdims_example"},
    {"node/test_reduce_mean_default_axes_keepdims_random"},
    {"node/test_reduce_mean_do_not_keepdims_example"},
    {"node/test_reduce_mean_do_not_keepdims_random"},
    {"node/test_reduce_mean_keepdims_example"},
    {"node/test_reduce_mean_keepdims_random"},
    {"node/test_reduce_mean_negative_axes_keepdims_example"},
    {"node/test_reduce_mean_negative_axes_keepdims_random"},
    {"node/test_reduce_min_default_axes_keepdims_example"},
    {"node/test_reduce_min_default_axes_keepdims_random"},
    {"node/test_reduce_min_do_not_keepdims_example"},
    {"node/test_reduce_min_do_not_keepdims_random"},
    {"node/test_reduce_min_keepdims_example"},
    {"node/test_reduce_min_keepdims_random"},
    {"node/test_reduce_min_negative_axes_keepdims_example"},
    {"node/test_reduce_min_negative_axes_keepdims_random"},
    {"node/test_reduce_prod_default_axes_keepdims_example"},
    {"node/test_reduce_prod_default_axes_keepdims_random"},
    {"node/test_reduce_prod_do_not_keepdims_example"},
    {"node/test_reduce_prod_do_not_keepdims_random"},
    {"node/test_reduce_prod_keepdims_example"},
    {"node/test_reduce_prod_keepdims_random"},
    {"node/test_reduce_prod_negative_axes_keepdims_example"},
    {"node/test_reduce_prod_negative_axes_keepdims_random"},
    {"node/test_reduce_sum_default_axes_keepdims_example"},
    {"node/test_reduce_sum_default_axes_keepdims_random"},
    {"node/test_reduce_sum_do_not_keepdims_example"},
    {"node/test_reduce_sum_do_not_keepdims_random"},
    {"node/test_reduce_sum_empty_axes_input_noop_example"},
    {"node/test_reduce_sum_empty_axes_input_noop_random"},
    {"node/test_reduce_sum_keepdims_example"},
    {"node/test_reduce_sum_keepdims_random"},
    {"node/test_reduce_sum_negative_axes_keepdims_example"},
    {"node/test_reduce_sum_negative_axes_keepdims_random"},
    {"node/test_reflect_pad"},
    {"node/test_relu"},
    {"node/test_reshape_allowzero_reordered", "onnx_shape"},
    {"node/test_reshape_extended_dims"},
    {"node/test_reshape_negative_dim"},
    {"node/test_reshape_negative_extended_dims"},
    {"node/test_reshape_one_dim"},
    {"node/test_reshape_reduced_dims"},
    {"node/test_reshape_reordered_all_dims"},
    {"node/test_reshape_reordered_last_dims"},
    {"node/test_reshape_zero_and_negative_dim"},
    {"node/test_reshape_zero_dim"},
    {"node/test_resize_downsample_scales_cubic", "onnx_unsupported_attribute"},
    {"node/test_resize_downsample_scales_cubic_A_n0p5_exclude_outside", "onnx_unsupported_attribute"},
    {"node/test_resize_downsample_scales_cubic_align_corners", "onnx_unsupported_attribute"},
    {"node/test_resize_downsample_scales_linear"},
    {"node/test_resize_downsample_scales_nearest"},
    {"node/test_resize_downsample_sizes_cubic", "onnx_unsupported_attribute"},
    {"node/test_resize_downsample_sizes_linear_pytorch_half_pixel"},
    {"node/test_resize_downsample_sizes_nearest"},
    {"node/test_resize_downsample_sizes_nearest_tf_half_pixel_for_nn"},
    {"node/test_resize_tf_crop_and_resize", "onnx_unsupported_attribute"},
    {"node/test_resize_upsample_scales_cubic", "onnx_unsupported_attribute"},
    {"node/test_resize_upsample_scales_cubic_A_n0p5_exclude_outside", "onnx_unsupported_attribute"},
    {"node/test_resize_upsample_scales_cubic_align_corners", "onnx_unsupported_attribute"},
    {"node/test_resize_upsample_scales_cubic_asymmetric", "onnx_unsupported_attribute"},
    {"node/test_resize_upsample_scales_linear"},
    {"node/test_resize_upsample_scales_linear_align_corners"},
    {"node/test_resize_upsample_scales_nearest"},
    {"node/test_resize_upsample_sizes_cubic", "onnx_unsupported_attribute"},
    {"node/test_resize_upsample_sizes_nearest"},
    {"node/test_resize_upsample_sizes_nearest_ceil_half_pixel"},
    {"node/test_resize_upsample_sizes_nearest_floor_align_corners"},
    {"node/test_resize_upsample_sizes_nearest_round_prefer_ceil_asymmetric"},
    {"node/test_round"},
    {"node/test_selu"},
    {"node/test_selu_default"},
    {"node/test_selu_example"},
    {"node/test_shape"},
    {"node/test_shape_clip_end"},
    {"node/test_shape_clip_start"},
    {"node/test_shape_end_1"},
    {"node/test_shape_end_negative_1"},
    {"node/test_shape_example"},
    {"node/test_shape_start_1"},
    {"node/test_shape_start_1_end_2"},
    {"node/test_shape_start_1_end_negative_1"},
    {"node/test_shape_start_negative_1"},
    {"node/test_sigmoid"},
    {"node/test_sigmoid_example"},
    {"node/test_sign"},
    {"node/test_sin"},
    {"node/test_sin_example"},
    {"node/test_sinh"},
    {"node/test_sinh_example"},
    {"node/test_size"},
    {"node/test_size_example"},
    {"node/test_slice"},
    {"node/test_slice_default_axes"},
    {"node/test_slice_default_steps"},
    {"node/test_slice_end_out_of_bounds"},
    {"node/test_slice_neg"},
    {"node/test_slice_neg_steps"},
    {"node/test_slice_negative_axes"},
    {"node/test_slice_start_out_of_bounds", "onnx_unsupported_operand"},
    {"node/test_softmax_axis_0"},
    {"node/test_softmax_axis_1"},
    {"node/test_softmax_axis_2"},
    {"node/test_softmax_default_axis"},
    {"node/test_softmax_example"},
    {"node/test_softmax_large_number"},
    {"node/test_softmax_negative_axis"},
    {"node/test_softplus"},
    {"node/test_softplus_example"},
    {"node/test_softsign"},
    {"node/test_softsign_example"},
    {"node/test_spacetodepth"},
    {"node/test_spacetodepth_example"},
    {"node/test_split_equal_parts_1d"},
    {"node/test_split_equal_parts_2d"},
    {"node/test_split_equal_parts_default_axis"},
    {"node/test_split_variable_parts_1d"},
    {"node/test_split_variable_parts_2d"},
    {"node/test_split_variable_parts_default_axis"},
    {"node/test_split_zero_size_splits", "onnx_shape"},
    {"node/test_sqrt"},
    {"node/test_sqrt_example"},
    {"node/test_squeeze"},
    {"node/test_squeeze_negative_axes"},
    {"node/test_sub"},
    {"node/test_sub_bcast"},
    {"node/test_sub_example"},
    {"node/test_sub_uint8", "onnx_unsupported_type"},
    {"node/test_sum_example"},
    {"node/test_sum_one_input"},
    {"node/test_sum_two_inputs"},
    {"node/test_tan"},
    {"node/test_tan_example"},
    {"node/test_tanh"},
    {"node/test_tanh_example"},
    {"node/test_thresholdedrelu"},
    {"node/test_thresholdedrelu_default"},
    {"node/test_thresholdedrelu_example"},
    {"node/test_tile"},
    {"node/test_tile_precomputed"},
    {"node/test_transpose_all_permutations_0"},
    {"node/test_transpose_all_permutations_1"},
    {"node/test_transpose_all_permutations_2"},
    {"node/test_transpose_all_permutations_3"},
    {"node/test_transpose_all_permutations_4"},
    {"node/test_transpose_all_permutations_5"},
    {"node/test_transpose_default"},
    {"node/test_unsqueeze_axis_0"},
    {"node/test_unsqueeze_axis_1"},
    {"node/test_unsqueeze_axis_2"},
    {"node/test_unsqueeze_axis_3"},
    {"node/test_unsqueeze_negative_axes"},
    {"node/test_unsqueeze_three_axes"},
    {"node/test_unsqueeze_two_axes"},
    {"node/test_unsqueeze_unsorted_axes"},
    {"node/test_upsample_nearest"},
    {"node/test_where_example"},
    {"node/test_where_long_example"},
    {"pytorch-converted/test_AvgPool1d"},
    {"pytorch-converted/test_AvgPool1d_stride"},
    {"pytorch-converted/test_AvgPool2d"},
    {"pytorch-converted/test_AvgPool2d_stride"},
    {"pytorch-converted/test_AvgPool3d", "onnx_shape"},
    {"pytorch-converted/test_AvgPool3d_stride", "onnx_shape"},
    {"pytorch-converted/test_AvgPool3d_stride1_pad0_gpu_input", "onnx_shape"},
    {"pytorch-converted/test_ConstantPad2d"},
    {"pytorch-converted/test_Conv1d"},
    {"pytorch-converted/test_Conv1d_dilated"},
    {"pytorch-converted/test_Conv1d_groups"},
    {"pytorch-converted/test_Conv1d_pad1"},
    {"pytorch-converted/test_Conv1d_pad1size1"},
    {"pytorch-converted/test_Conv1d_pad2"},
    {"pytorch-converted/test_Conv1d_pad2size1"},
    {"pytorch-converted/test_Conv1d_stride"},
    {"pytorch-converted/test_Conv2d"},
    {"pytorch-converted/test_Conv2d_depthwise"},
    {"pytorch-converted/test_Conv2d_depthwise_padded"},
    {"pytorch-converted/test_Conv2d_depthwise_strided"},
    {"pytorch-converted/test_Conv2d_depthwise_with_multiplier"},
    {"pytorch-converted/test_Conv2d_dilated"},
    {"pytorch-converted/test_Conv2d_groups"},
    {"pytorch-converted/test_Conv2d_groups_thnn"},
    {"pytorch-converted/test_Conv2d_no_bias"},
    {"pytorch-converted/test_Conv2d_padding"},
    {"pytorch-converted/test_Conv2d_strided"},
    {"pytorch-converted/test_ConvTranspose2d"},
    {"pytorch-converted/test_ConvTranspose2d_no_bias"},
    {"pytorch-converted/test_ELU"},
    {"pytorch-converted/test_Embedding"},
    {"pytorch-converted/test_Embedding_sparse"},
    {"pytorch-converted/test_LeakyReLU"},
    {"pytorch-converted/test_LeakyReLU_with_negval"},
    {"pytorch-converted/test_Linear_no_bias"},
    {"pytorch-converted/test_MaxPool1d"},
    {"pytorch-converted/test_MaxPool1d_stride"},
    {"pytorch-converted/test_MaxPool1d_stride_padding_dilation", "onnx_shape"},
    {"pytorch-converted/test_MaxPool2d"},
    {"pytorch-converted/test_MaxPool2d_stride_padding_dilation", "onnx_unsupported_attribute"},
    {"pytorch-converted/test_MaxPool3d", "onnx_shape"},
    {"pytorch-converted/test_MaxPool3d_stride", "onnx_shape"},
    {"pytorch-converted/test_MaxPool3d_stride_padding", "onnx_shape"},
    {"pytorch-converted/test_PReLU_1d"},
    {"pytorch-converted/test_PReLU_1d_multiparam", "onnx_shape"},
    {"pytorch-converted/test_PReLU_2d"},
    {"pytorch-converted/test_PReLU_2d_multiparam", "onnx_shape"},
    {"pytorch-converted/test_PReLU_3d"},
    {"pytorch-converted/test_PReLU_3d_multiparam", "onnx_shape"},
    {"pytorch-converted/test_PixelShuffle"},
    {"pytorch-converted/test_ReLU"},
    {"pytorch-converted/test_ReflectionPad2d"},
    {"pytorch-converted/test_ReplicationPad2d"},
    {"pytorch-converted/test_SELU"},
    {"pytorch-converted/test_Sigmoid"},
    {"pytorch-converted/test_Softmax"},
    {"pytorch-converted/test_Softplus"},
    {"pytorch-converted/test_Softsign", "onnx_unsupported_attribute"},
    {"pytorch-converted/test_Tanh"},
    {"pytorch-converted/test_ZeroPad2d"},
    {"pytorch-converted/test_softmax_functional_dim3"},
    {"pytorch-converted/test_softmax_lastdim"},
    {"pytorch-operator/test_operator_add_broadcast", "onnx_unsupported_attribute"},
    {"pytorch-operator/test_operator_add_size1_broadcast", "onnx_unsupported_attribute"},
    {"pytorch-operator/test_operator_addconstant", "onnx_unsupported_attribute"},
    {"pytorch-operator/test_operator_basic"},
    {"pytorch-operator/test_operator_chunk"},
    {"pytorch-operator/test_operator_conv"},
    {"pytorch-operator/test_operator_convtranspose"},
    {"pytorch-operator/test_operator_exp"},
    {"pytorch-operator/test_operator_index"},
    {"pytorch-operator/test_operator_max"},
    {"pytorch-operator/test_operator_maxpool"},
    {"pytorch-operator/test_operator_min"},
    {"pytorch-operator/test_operator_non_float_params", "onnx_unsupported_type"},
    {"pytorch-operator/test_operator_pad"},
    {"pytorch-operator/test_operator_params"},
    {"pytorch-operator/test_operator_pow", "onnx_unsupported_operand"},
    {"pytorch-operator/test_operator_reduced_mean"},
    {"pytorch-operator/test_operator_reduced_mean_keepdim"},
    {"pytorch-operator/test_operator_reduced_sum"},
    {"pytorch-operator/test_operator_reduced_sum_keepdim"},
    {"pytorch-operator/test_operator_repeat"},
    {"pytorch-operator/test_operator_repeat_dim_overflow"},
    {"pytorch-operator/test_operator_selu"},
    {"simple/test_sign_model"},
};
INSTANTIATE_TEST_SUITE_P(Onnx, Conformance, testing::ValuesIn(kCases), NameOf);

}  // namespace
}  // namespace tally::onnx
