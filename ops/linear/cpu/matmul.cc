#include "ops/indexing.h"
#include "ops/linear/attrs.h"
#include "ops/linear/cpu/gemm_block.h"
#include "ops/linear/cpu/kernel_tables.h"

namespace tally {
namespace {

// An operand of a product, whose elements along the depth are `step` apart and along the other axis
// `other_step`.
struct Matrix {
  const KernelOperand& operand;
  int64_t zero, depth, size, step, other_step;

  Matrix(const KernelOperand& x, int64_t zero_point, bool depth_is_last) : operand(x), zero(zero_point) {
    const Shape& shape = x.type->shape;
    const int64_t last = shape[shape.rank() - 1], before = shape[shape.rank() - 2];
    depth = depth_is_last ? last : before;
    size = depth_is_last ? before : last;
    step = depth_is_last ? 1 : last;
    other_step = depth_is_last ? last : 1;
  }
  bool FitsI32() const { return tally::FitsI32(operand.type->interval, zero); }
  // The first element of the matrix that meets that of y at `d`, whose last two coordinates are 0.
  int64_t FirstAt(const Index& d, const Shape& y) const {
    return BroadcastView(operand.type->shape, y).At(d);
  }
};

template <Isa isa>
struct MatmulTerms {
  const Matrix &a, &b;
  int64_t first_a = 0, first_b = 0;  // the block's
  int64_t columns = 0;

  void Columns(int64_t begin, int64_t end, int64_t* to) const {
    if (b.step != 1) {
      for (int64_t k = begin; k < end; ++k, to += kBlockColumns) {
        GatherLess<isa>(b.operand, first_b + k * b.step, 1, b.zero, columns, to, 1);
      }
      return;
    }
    for (int64_t n = 0; n < columns; ++n) {
      GatherLess<isa>(b.operand, first_b + n * b.other_step + begin, 1, b.zero, end - begin, to + n,
                      kBlockColumns);
    }
  }
  void Factors(int64_t row, int64_t begin, int64_t end, int64_t* to) const {
    GatherLess<isa>(a.operand, first_a + row * a.other_step + begin * a.step, a.step, a.zero, end - begin, to,
                    1);
  }
};

std::optional<Prepared<MatmulAttrs>> PrepareMatmul(const KernelFacts& facts) {
  return Prepared<MatmulAttrs>{facts.attrs<MatmulAttrs>(), GemmBuffers(nullptr).scratch.bytes()};
}

template <Isa isa>
void Matmul(const MatmulAttrs& attrs, const KernelCall& call) noexcept {
  const GemmBuffers at(call.scratch);
  const Matrix a(call.operands[0], attrs.zero_a, !attrs.transpose_a);
  const Matrix b(call.operands[1], attrs.zero_b, attrs.transpose_b);
  const KernelResult& y = call.results[0];
  const Shape& shape = y.type->shape;
  const int64_t strips = CeilDiv(a.size, kBlockRows), blocks = CeilDiv(b.size, kBlockColumns);
  const Share share = call.ShareOf(shape.num_elements() / (a.size * b.size) * strips * blocks);
  MatmulTerms<isa> terms = {a, b};
  for (int64_t item = share.begin; item < share.end; ++item) {
    const int64_t n = item % blocks * kBlockColumns, m = item / blocks % strips * kBlockRows;
    const int64_t matrix = item / blocks / strips * a.size * b.size, rows = std::min(kBlockRows, a.size - m);
    const Index d = Unflatten(matrix, shape);
    terms.first_a = a.FirstAt(d, shape) + m * a.other_step;
    terms.first_b = b.FirstAt(d, shape) + n * b.other_step;
    terms.columns = std::min(kBlockColumns, b.size - n);
    std::fill_n(at.sums, rows * kBlockColumns, 0);
    AccumulateBlock<isa>(at, terms, rows, terms.columns, a.depth, a.FitsI32() && b.FitsI32());
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t place = matrix + (m + i) * b.size + n;
      GetConvertLoops<isa>().convert[CodeOf(Storage::kI64)][CodeOf(y.storage)](
          at.sums + i * kBlockColumns, y.bytes + place * SizeBytes(y.storage), terms.columns);
    }
  }
}

constexpr auto kMatmulKernels = EveryIsa<"matmul">(
    {.op = Opcode::kMatmul}, []<Isa isa>() { return kKernel<PrepareMatmul, Matmul<isa>>; });

}  // namespace

KernelTable MatmulKernels() { return kMatmulKernels; }

}  // namespace tally
