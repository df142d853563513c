#include "engines/cpu/gemm/gemm.h"

#include <algorithm>
#include <utility>

#include "base/int_math.h"
#include "ops/cpu/gemm/machine_costs.h"

namespace tally::cpu {
namespace {

// The bytes of all rows, from the first byte to the last.
int64_t RowBytes(const GemmPlan& rows) {
  return rows.tiles.back().x_offset - rows.tiles.front().x_offset + kMaxTileRows * rows.row_stride;
}

// The bytes of the rows of a block: those of rows that overlap are the same.
int64_t RowBytesOfBlock(const GemmPlan& plan, const MicroKernel& kernel) {
  const int64_t rows = kernel.tile_rows * (kernel.flags.Has(CpuFlag::kAmxInt8) ? 2 : 1);
  const int64_t segment = plan.k_groups_per_segment * XBytesOfKGroup(kernel.element);
  return std::ssize(plan.segments) * std::min(rows * segment, rows * plan.row_stride + segment);
}

// Panels stay in the first-level cache where it holds them beside the rows that come to them. Else a block's
// rows stay there, and panels come from the second-level cache: all of them, or groups of as many as it
// holds, for each of which rows are read once. Where the second level holds all rows but not all weights,
// weights are read once: one panel at a time, or a few where a panel has no more bytes than a block's rows.
int64_t PanelsAtOnce(const GemmPlan& plan, int64_t columns, const MicroKernel& kernel) {
  constexpr int64_t kPartOfFew = 4;
  const MachineCosts& costs = CostsOf(kernel.flags);
  const int64_t first_level = 7 * costs.first_level_bytes / 4, second_level = costs.second_level_bytes;
  const int64_t panels = CeilDiv<int64_t>(columns, kPanel), panel_bytes = PackedBytes(plan, columns) / panels;
  const int64_t row_bytes = RowBytesOfBlock(plan, kernel);
  if (panel_bytes <= costs.first_level_bytes && panel_bytes + row_bytes <= first_level) {
    return std::min(panels, costs.first_level_bytes / panel_bytes);
  }
  const bool once = RowBytes(plan) <= second_level && panels * panel_bytes > second_level;
  if (once && (row_bytes < panel_bytes || row_bytes > first_level)) return 1;
  return std::clamp<int64_t>(second_level / (once ? kPartOfFew : 1) / panel_bytes, 1, panels);
}

}  // namespace

bool MayCopyRows(const GemmPlan& plan, int64_t columns, const MicroKernel& kernel) {
  constexpr int64_t kMostCopies = 3;
  const int64_t panels = CeilDiv<int64_t>(columns, kPanel);
  return kernel.element == Element::kBiasedS8 &&
         CeilDiv(panels, PanelsAtOnce(plan, columns, kernel)) <= kMostCopies;
}

void ReadSignedRows(GemmPlan& plan, GemmSpec& spec) {
  spec.x_is_signed = true;
  plan.overread_bytes = CopiedOverread(plan);
}

StepNotes NotesOf(const Epilogue& epilogue) {
  StepNotes notes;
  notes.Add(StepNote::kShort, epilogue.scale == Epilogue::Scale::kShort);
  notes.Add(StepNote::kHighWord, epilogue.scale == Epilogue::Scale::kHighWord);
  notes.Add(StepNote::kAnyShift, epilogue.scale == Epilogue::Scale::kAnyShift);
  notes.Add(StepNote::kPairs, epilogue.has_residual && epilogue.residual.sum == ResidualScale::Sum::kPairs);
  notes.Add(StepNote::kHalves, epilogue.has_residual && epilogue.residual.sum == ResidualScale::Sum::kHalves);
  return notes;
}

Epilogue EpilogueSpec::ForKernel() const {
  Epilogue e = epilogue;
  e.groups = groups.data();
  e.table = table.empty() ? nullptr : table.data();
  return e;
}

std::vector<BufferId> GemmSpec::reads() const {
  std::vector<BufferId> reads = {x};
  if (residual.buffer >= 0) reads.push_back(residual.buffer);
  if (packed >= 0) reads.push_back(packed);
  return reads;
}

Gemm::Gemm(GemmSpec spec, int parts) : spec_(std::move(spec)), parts_(parts) {
  groups_ = spec_.packed >= 0 ? spec_.y.type.shape.num_elements() / spec_.y_group
                              : static_cast<int64_t>(spec_.weights.size());
  panels_ = CeilDiv<int64_t>(spec_.columns, kPanel);
  weight_bytes_ = PackedBytes(spec_.rows, spec_.columns);
  panels_at_once_ = PanelsAtOnce(spec_.rows, spec_.columns, *spec_.kernel);
}

std::span<const uint8_t> Gemm::first_weights() const {
  if (spec_.weights.empty()) return {};
  const auto& bytes = spec_.weights.front().bytes;
  return {bytes.data(), static_cast<size_t>(panels_at_once_ * panel_bytes())};
}

int64_t KeptBytes(const EpilogueSpec& epilogue) {
  return static_cast<int64_t>(epilogue.groups.size() * sizeof(ScaleGroup) + epilogue.table.size());
}

int64_t Gemm::kept_bytes() const {
  const auto size = [](const auto& vector) {
    return std::ssize(vector) * static_cast<int64_t>(sizeof(vector[0]));
  };
  int64_t bytes = KeptBytes(spec_.epilogue);
  for (const PackedWeights& packed : spec_.weights)
    bytes += size(packed.bytes) + size(packed.init) + size(packed.init_s64);
  for (const auto& init : spec_.init_s64) bytes += size(init);
  return bytes;
}

int64_t Gemm::multiply_adds() const {
  int64_t terms = 0;
  for (const auto& segment : spec_.rows.terms) {
    terms += std::ranges::count_if(segment, [](int32_t term) { return term >= 0; });
  }
  const int64_t rows = std::ranges::count_if(spec_.rows.rows, [](int64_t row) { return row >= 0; });
  return groups_ * rows * spec_.columns * terms;
}

GemmPart Gemm::PartOf(int part) const {
  GemmPart share = Whole();
  if (groups_ >= parts_) {
    share.groups = ShareOf(groups_, part, parts_);
  } else if (SplitsTiles()) {
    share.tiles = ShareOf(share.tiles.end, part, parts_, 2);
  } else {
    share.panels = ShareOf(panels_, part, parts_);
  }
  return share;
}

// Half of an image was written by another thread, when each thread went along its own rows.
bool Gemm::SplitsTiles() const {
  const MachineCosts& costs = CostsOf(spec_.kernel->flags);
  const auto pairs = CeilDiv(static_cast<int64_t>(spec_.rows.tiles.size()), int64_t{2});
  const int64_t block_ns =
      costs.block_ns + costs.step_ns * panel_bytes() / (kPanel * MachineCosts::kStepBytes);
  const auto time_ns = [&](int64_t pairs_of_part, int64_t panels_of_part) {
    return std::max(pairs_of_part * panels_of_part * block_ns,
                    panels_of_part * panel_bytes() / costs.memory_bytes_per_ns);
  };
  const int64_t by_tiles = time_ns(CeilDiv<int64_t>(pairs, parts_), panels_);
  const int64_t by_panels = time_ns(pairs, CeilDiv<int64_t>(panels_, parts_));
  const int64_t y_bytes = spec_.y.type.shape.num_elements() / groups_ * SizeBytes(spec_.y.storage);
  const int64_t bytes_of_others = (RowBytes(spec_.rows) + y_bytes) / parts_ * (parts_ - 1);
  return by_tiles <= by_panels + bytes_of_others / costs.others_bytes_per_ns;
}

void Gemm::Run(const Frame& frame, const GemmPart& part, uint8_t* y,
               std::span<const uint8_t> next) const noexcept {
  if (part.tiles.begin == part.tiles.end || part.panels.begin == part.panels.end)
    return;  // more threads than work
  Epilogue epilogue = spec_.epilogue.ForKernel();
  GemmArgs call = {
      .x_is_signed = spec_.x_is_signed,
      .row_stride = spec_.rows.row_stride,
      .tiles = spec_.rows.tiles.data(),
      .rows = spec_.rows.rows.data(),
      .segments = spec_.rows.segments.data(),
      .num_segments = static_cast<int>(spec_.rows.segments.size()),
      .k_groups_per_segment = spec_.rows.k_groups_per_segment,
      .epilogue = &epilogue,
      .columns = spec_.columns,
      .tile_begin = part.tiles.begin,
      .tile_end = part.tiles.end,
      .panel_begin = part.panels.begin,
      .panel_end = part.panels.end,
      .panels_at_once = panels_at_once_,
      .streams_weights = panels_at_once_ * panel_bytes() > CostsOf(spec_.kernel->flags).first_level_bytes};
  const uint8_t* x = frame.ConstAt(spec_.x);
  const uint8_t* residual = spec_.residual.buffer < 0 ? nullptr : frame.ConstAt(spec_.residual.buffer);
  const uint8_t* packed = spec_.packed < 0 ? nullptr : frame.ConstAt(spec_.packed);
  S64Accumulation s64 = spec_.s64.value_or(S64Accumulation{});
  if (spec_.s64) call.s64 = &s64;
  const int64_t packed_bytes = weight_bytes_ + panels_ * kPanel * static_cast<int64_t>(sizeof(int32_t));
  for (int64_t g = part.groups.begin; g < part.groups.end; ++g) {
    if (g + 1 == part.groups.end) {
      call.next = next.data();
      call.next_bytes = static_cast<int64_t>(next.size());
    }
    call.x = x + g * spec_.x_group_bytes;
    call.y = y + g * spec_.y_group * SizeBytes(spec_.y.storage);
    if (residual != nullptr) call.residual = residual + g * spec_.y_group * SizeBytes(spec_.residual.storage);
    if (packed != nullptr) {
      call.weights = packed + g * packed_bytes;
      call.init = reinterpret_cast<const int32_t*>(call.weights + weight_bytes_);
    } else {
      call.weights = spec_.weights[g].bytes.data();
      call.init = spec_.weights[g].init.empty() ? nullptr : spec_.weights[g].init.data();
      if (!spec_.epilogue.groups.empty()) {
        epilogue.groups = &spec_.epilogue.groups[g * panels_ * (kPanel / kVectorColumns)];
      }
    }
    if (!spec_.init_s64.empty()) {
      s64.init = spec_.init_s64[spec_.init_s64.size() == 1 ? 0 : g].data();
    }
    spec_.kernel->run(call);
  }
}

}  // namespace tally::cpu
