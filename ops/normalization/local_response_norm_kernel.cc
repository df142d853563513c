#include "ops/normalization/attrs.h"
#include "ops/normalization/kernels.h"
#include "ops/normalization/octave.h"
#include "ops/normalization/place.h"
#include "ops/simd/elements.h"
#include "ops/simd/kernel_attrs.h"
#include "ops/simd/map_chunks.h"
#include "ops/simd/scratch.h"

namespace tally {
namespace {

// The one axis along which windows have more than their centre; of several none is accepted.
struct WindowAxis {
  int axis = 0, count = 0;
  int64_t before = 0, after = 0;

  template <typename Facts>
  WindowAxis(const Facts& facts, const Shape& x) {
    const auto list = [&](auto member) { return AttrList<LocalResponseNormAttrs>(facts, member); };
    const auto axes = list(&LocalResponseNormAttrs::axes), befores = list(&LocalResponseNormAttrs::before),
               afters = list(&LocalResponseNormAttrs::after);
    for (size_t k = 0; k < axes.size(); ++k) {
      const int a = static_cast<int>(axes[k] < 0 ? axes[k] + x.rank() : axes[k]);
      if (befores[k] + afters[k] == 0 || x[a] == 1) continue;
      axis = a;
      before = befores[k];
      after = afters[k];
      ++count;
    }
  }
};

struct Buffers {
  ScratchLayout scratch;
  int64_t *x, *y, *mantissas, *exponents;

  Buffers(int64_t n, uint8_t* first)
      : scratch(first),
        x(scratch.Take<int64_t>(n)),
        y(scratch.Take<int64_t>(n)),
        mantissas(scratch.Take<int64_t>(kOctaveEntries)),
        exponents(scratch.Take<int64_t>(kOctaves)) {}
};

struct Placing {
  int64_t shift, zero_out, lo, hi;
};

}  // namespace

bool AcceptsLocalResponseNorm(const KernelFacts& facts) {
  return OperandsLieIn(facts) && WindowAxis(facts, facts.operands[0].shape).count <= 1;
}

int64_t LocalResponseNormScratchBytes(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  return Buffers(x.rank() == 0 ? 1 : x[WindowAxis(facts, x).axis], nullptr).scratch.bytes();
}

// Line by line: the sum of squares slides along.
template <Isa isa, Layout layout>
void LocalResponseNormKernel(const KernelCall& call) noexcept {
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const auto attr = [&](int64_t LocalResponseNormAttrs::*member) {
    return AttrOf<LocalResponseNormAttrs>(call, member);
  };
  using A = LocalResponseNormAttrs;
  const KernelOperand& x = call.operands[0];
  const KernelResult& y = call.results[0];
  const Shape& shape = x.type->shape;
  const WindowAxis window(call, shape);
  const int64_t n = shape.rank() == 0 ? 1 : shape[window.axis],
                stride = shape.rank() == 0 ? 1 : StridesOf(shape, layout)[window.axis];
  const int64_t zero = attr(&A::zero_in), alpha = attr(&A::alpha), bias = attr(&A::bias);
  const Placing placing = {attr(&A::shift), attr(&A::zero_out), attr(&A::lo), attr(&A::hi)};
  const Buffers at(n, call.scratch);
  const Elements mantissas(call.operands[1]), exponents(call.operands[2]);
  for (int64_t i = 0; i < kOctaveEntries; ++i) at.mantissas[i] = mantissas[i];
  for (int64_t i = 0; i < kOctaves; ++i) at.exponents[i] = exponents[i];
  const auto square = [&](int64_t i) { return at.x[i] * at.x[i]; };
  const Share share = call.ShareOf(shape.num_elements() / n);
  for (int64_t line = share.begin; line < share.end; ++line) {
    const int64_t first = line / stride * stride * n + line % stride;
    convert.stride[CodeOf(x.storage)][CodeOf(Storage::kI64)](x.bytes + first * SizeBytes(x.storage), stride,
                                                             at.x, 1, n);
    for (int64_t i = 0; i < n; ++i) at.x[i] -= zero;
    int64_t squares = 0;
    for (int64_t i = 0; i < std::min(window.after, n); ++i) squares += square(i);
    for (int64_t i = 0; i < n; ++i) {
      if (i + window.after < n) squares += square(i + window.after);
      if (i > window.before) squares -= square(i - window.before - 1);
      const Octave<int64_t> octave(bias + alpha * squares);
      const int64_t product = octave.Interpolate(at.mantissas) * at.exponents[octave.exponent];
      const auto power = RoundShift<int64_t>(Rounding::kHalfUp, product, 31, false);
      at.y[i] = RoundAndPlace<int64_t>(at.x[i] * power, placing);
    }
    convert.stride[CodeOf(Storage::kI64)][CodeOf(y.storage)](
        at.y, 1, y.bytes + first * SizeBytes(y.storage), stride, n);
  }
}

TALLY_INSTANTIATE_LAYOUT_KERNEL(LocalResponseNormKernel);

}  // namespace tally
