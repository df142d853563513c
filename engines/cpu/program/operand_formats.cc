#include "engines/cpu/program/operand_formats.h"

#include "ops/cpu/gemm/s64_accumulation.h"
#include "ops/linear/attrs.h"

namespace tally::cpu {
namespace {

constexpr Interval kI8 = RangeOf(Storage::kI8);
constexpr Interval kI16 = RangeOf(Storage::kI16);
constexpr Interval kI32 = RangeOf(Storage::kI32);

std::optional<OperandFormat> FitElements(const Interval& range, bool may_move) {
  if (kI8.Contains(range)) return OperandFormat{};
  if (may_move && range.Width() <= 255) return OperandFormat{Storage::kI8, range.lo + 128};
  if (kI16.Contains(range)) return OperandFormat{Storage::kI16};
  if (may_move && range.Width() <= 65535) return OperandFormat{Storage::kI16, range.lo + 32768};
  if (kI32.Contains(range)) return OperandFormat{Storage::kI32};
  return std::nullopt;
}

}  // namespace

ConvolutionCall ConvolutionOf(const FunctionView& function, size_t step) {
  const Instruction& instruction = function.instruction(step);
  const auto shape = [&](ValueId id) -> const Shape& { return function.type(id).shape; };
  return {instruction.op, instruction.attributes, shape(instruction.operands[0]),
          shape(instruction.operands[1]), shape(function.result(step))};
}

std::optional<OperandFormats> ConvolutionFormats(const FunctionView& function, size_t step) {
  const Instruction& instruction = function.instruction(step);
  const TensorView* w = function.constant(instruction.operands[1]);
  if (w == nullptr ||
      (instruction.operands.size() > 2 && function.constant(instruction.operands[2]) == nullptr)) {
    return std::nullopt;
  }
  const ConvolutionCall call = ConvolutionOf(function, step);
  Interval x = function.type(instruction.operands[0]).interval;
  x = x.Hull({call.zero_x, call.zero_x});  // is where there is padding
  const auto fit_x = FitElements(x, true);
  const auto fit_w =
      FitElements(MinusOffset(function.type(instruction.operands[1]).interval, call.zero_w), false);
  if (!fit_x || !fit_w) return std::nullopt;
  OperandFormats formats(*fit_x, *fit_w, function.facts().instructions[step].accumulator);
  if (RangeOf(formats.storage()).Contains(x)) formats.x.base = 0;
  // A panel of 32 columns would have one: kernels that go along pixels are faster.
  const bool depthwise = w->shape[0] == call.shape.groups && w->shape[1] == 1;
  if (formats.is_s64 && depthwise) return std::nullopt;
  formats.x_range = x;
  return formats;
}

std::optional<MatrixProduct> ProductOf(const FunctionView& function, const Instruction& instruction) {
  const auto attrs = Unpack<MatmulAttrs>(instruction.attributes);
  const Shape &a = function.type(instruction.operands[0]).shape,
              &b = function.type(instruction.operands[1]).shape;
  if (attrs.transpose_a) return std::nullopt;
  MatrixProduct p;
  p.depth = a[a.rank() - 1];
  p.columns = attrs.transpose_b ? b[b.rank() - 2] : b[b.rank() - 1];
  p.matrices = b.num_elements() / (p.depth * p.columns);
  if (p.matrices > 1) {
    if (a.rank() != b.rank() ||
        !std::ranges::equal(a.dims().first(a.rank() - 2), b.dims().first(b.rank() - 2))) {
      return std::nullopt;
    }
  }
  p.rows = a.num_elements() / p.depth / p.matrices;
  return p;
}

std::optional<OperandFormats> MatmulFormats(const FunctionView& function, size_t step) {
  const Instruction& instruction = function.instruction(step);
  const auto attrs = Unpack<MatmulAttrs>(instruction.attributes);
  const auto product = ProductOf(function, instruction);
  // Many tiny matrices would be little but the padding of their panels.
  constexpr int64_t kLeastProducts = 1024;
  if (!product ||
      (product->matrices > 1 && product->rows * product->columns * product->depth < kLeastProducts)) {
    return std::nullopt;
  }
  const Interval range = function.type(instruction.operands[0]).interval;
  const auto a = FitElements(range, true);
  const Interval w = MinusOffset(function.type(instruction.operands[1]).interval, attrs.zero_b);
  const auto b = FitElements(w, false);
  if (!a || !b) return std::nullopt;
  OperandFormats formats(*a, *b, function.facts().instructions[step].accumulator);
  formats.x_range = range;
  formats.w_range = w;
  const bool packed_in_run = function.constant(instruction.operands[1]) == nullptr || product->matrices > 1;
  if (!formats.is_s64 || !packed_in_run) return formats;
  // The init of 64-bit accumulators has no part of zero_a.
  const auto less = FitElements(MinusOffset(range, attrs.zero_a), false);
  if (!less) return std::nullopt;
  formats.x = {less->storage, attrs.zero_a};
  return formats;
}

const MicroKernel& KernelFor(const OperandFormats& formats, int64_t rows, CpuFlags flags) {
  if (!formats.is_s64) {
    return SelectMicroKernel(formats.x.storage > Storage::kI8, formats.w.storage > Storage::kI8, rows, flags);
  }
  return SelectS64Kernel(formats.storage() == Storage::kI32 ? Element::kS32 : Element::kS16, flags);
}

bool NeedsPacking(const Schedule& schedule, const ValueRef& x, const MicroKernel& kernel,
                  const OperandFormat& elements) {
  return x.storage != StorageOf(kernel.element) || elements.base != 0 ||
         // A kernel reads past the end, which is safe in the arena only.
         schedule.IsConstant(x.buffer);
}

}  // namespace tally::cpu
