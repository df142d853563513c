#include "ops/cuda/primitives/sampled_channels.h"
#include "ops/image/attrs.h"
#include "ops/image/cuda/image_device.h"
#include "ops/image/cuda/kernel_tables.h"

namespace tally::cuda {
namespace {

using image::CropSteps;
using image::CropUnit;

std::optional<Work> PrepareResample(const KernelFacts& facts) {
  const Shape &x = facts.operands[0].shape, &index = facts.operands[1].shape;
  const int64_t attribute = facts.attrs<ResampleAttrs>().axis;
  const int axis = static_cast<int>(attribute < 0 ? attribute + x.rank() : attribute);
  const ResampleParams params = {.count = facts.results[0].shape.num_elements(),
                                 .n = x[axis],
                                 .m = index[0],
                                 .inner = StridesOf(x, facts.layout)[axis],
                                 .taps = index[1],
                                 .x = facts.storages[0],
                                 .index = facts.storages[1],
                                 .weight = facts.storages[2],
                                 .y = facts.results[0].storage()};
  Work work;
  work.Add(KernelId::kResample, GridOver(params.count), params,
           {OperandAt(0), OperandAt(1), OperandAt(2), ResultAt(0)});
  return work;
}

std::optional<Work> PrepareCropResize(const KernelFacts& facts) {
  const auto attrs = facts.attrs<CropResizeAttrs>();
  const Shape& x = facts.operands[0].shape;
  const CropForm form = attrs.form();
  const int64_t unit = CropUnit(form.fraction);
  const int64_t divisor =
      unit * CropSteps(form.grid, form.size[0]) * unit * CropSteps(form.grid, form.size[1]);
  return SampleWork(KernelId::kCropResize, facts, SampledShapeOf(facts, 1, 1, divisor, attrs.result_fraction),
                    CropResizeFn{.form = form,
                                 .zero_outside = attrs.zero_outside,
                                 .rows = x[2],
                                 .columns = x[3],
                                 .images = x[0],
                                 .result_fraction = attrs.result_fraction,
                                 .boxes = facts.storages[1],
                                 .batch = facts.storages[2]});
}

std::optional<Work> PrepareGridSample(const KernelFacts& facts) {
  const auto attrs = facts.attrs<GridSampleAttrs>();
  const Shape& x = facts.operands[0].shape;
  const auto strides = StridesOf(facts.operands[1].shape, facts.layout);
  const int64_t divisor = VisitGridTaps<int64_t>(attrs.form(), 0, 0, [](int64_t, int64_t, int64_t) {});
  return SampleWork(KernelId::kGridSample, facts, SampledShapeOf(facts, 1, 1, divisor, attrs.result_fraction),
                    GridSampleFn{.form = attrs.form(),
                                 .rows = x[2],
                                 .columns = x[3],
                                 .result_fraction = attrs.result_fraction,
                                 .strides = {strides[0], strides[1], strides[2], strides[3]},
                                 .grid = facts.storages[1]});
}

constexpr KernelEntry kImageKernels[] = {
    {Opcode::kResample, "resample", Arch::kSm80, Layouts::kEvery, PrepareResample},
    {Opcode::kCropResize, "crop_resize", Arch::kSm80, Layouts::kEvery, PrepareCropResize},
    {Opcode::kGridSample, "grid_sample", Arch::kSm80, Layouts::kEvery, PrepareGridSample},
};

}  // namespace

std::vector<KernelTable> AllImageKernels() { return {kImageKernels}; }

}  // namespace tally::cuda
