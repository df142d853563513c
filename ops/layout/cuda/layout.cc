#include "ops/cuda/prepare_map.h"
#include "ops/layout/attrs.h"
#include "ops/layout/cuda/kernel_tables.h"
#include "ops/layout/cuda/layout_device.h"

namespace tally::cuda {
namespace {

Work IotaWork(const IotaParams& params) {
  Work work;
  work.Add(KernelId::kIota, GridOver(params.count), params, {ResultAt(0)});
  return work;
}

std::optional<Work> PrepareIota(const KernelFacts& facts) {
  const TensorType& y = facts.results[0];
  const auto attrs = facts.attrs<IotaAttrs>();
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + y.shape.rank() : attrs.axis);
  return IotaWork({.count = y.shape.num_elements(),
                   .inner = StridesOf(y.shape, facts.layout)[axis],
                   .length = y.shape[axis],
                   .start = attrs.start,
                   .step = attrs.step,
                   .storage = y.storage()});
}

std::optional<Work> PrepareFill(const KernelFacts& facts) {
  const TensorType& y = facts.results[0];
  return IotaWork({.count = y.shape.num_elements(),
                   .inner = 1,
                   .length = 1,
                   .start = facts.attrs<FillAttrs>().value,
                   .step = 0,
                   .storage = y.storage()});
}

std::optional<Work> PreparePad(const KernelFacts& facts) {
  const TensorType &x = facts.operands[0], &y = facts.results[0];
  const auto attrs = facts.attrs<PadAttrs>();
  static_assert(static_cast<int>(PadMode::kWrap) == static_cast<int>(Border::kWrap));
  PadParams params = {.count = y.shape.num_elements(),
                      .rank = y.shape.rank(),
                      .mode = static_cast<Border>(attrs.mode),
                      .value = attrs.value,
                      .from = facts.storages[0],
                      .to = y.storage()};
  const auto order = MemoryOrder(y.shape.rank(), facts.layout);
  for (int i = 0; i < y.shape.rank(); ++i) {
    params.dims[i] = y.shape[order[i]];
    params.x_dims[i] = x.shape[order[i]];
    params.before[i] = attrs.before[order[i]];
  }
  Work work;
  work.Add(KernelId::kPad, GridOver(params.count), params, {OperandAt(0), ResultAt(0)});
  return work;
}

std::optional<Work> PrepareReverseSequence(const KernelFacts& facts) {
  const Shape& x = facts.operands[0].shape;
  const auto attrs = facts.attrs<ReverseSequenceAttrs>();
  const auto axis_of = [&](int64_t axis) { return static_cast<int>(axis < 0 ? axis + x.rank() : axis); };
  const int batch = axis_of(attrs.batch_axis), sequence = axis_of(attrs.seq_axis);
  const ReverseSequenceParams params = {.count = x.num_elements(),
                                        .batch_stride = x.stride(batch),
                                        .batches = x[batch],
                                        .sequence_stride = x.stride(sequence),
                                        .length = x[sequence],
                                        .from = facts.storages[0],
                                        .to = facts.results[0].storage(),
                                        .lengths = facts.storages[1]};
  Work work;
  work.Add(KernelId::kReverseSequence, GridOver(params.count), params,
           {OperandAt(0), OperandAt(1), ResultAt(0)});
  return work;
}

constexpr KernelEntry kFillAndPadKernels[] = {
    {Opcode::kPad, "pad", Arch::kSm80, Layouts::kEvery, PreparePad},
    {Opcode::kReverseSequence, "reverse_sequence", Arch::kSm80, Layouts::kRowMajor, PrepareReverseSequence},
    {Opcode::kIota, "iota", Arch::kSm80, Layouts::kEvery, PrepareIota},
    {Opcode::kFill, "fill", Arch::kSm80, Layouts::kEvery, PrepareFill},
};

}  // namespace

KernelTable FillAndPadKernels() { return kFillAndPadKernels; }

}  // namespace tally::cuda
