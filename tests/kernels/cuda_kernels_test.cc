// Every kernel of the cuda engine, on emulated devices and on a GPU where there is one, against the
// reference of its operator. A new entry is tested without a new test; one that no random call meets fails
// here until
// FindKernelCallGenerator draws calls that it takes, and one that entries ahead of it shadow fails too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <iostream>
#include <map>
#include <set>
#include <tuple>

#include "base/int_math.h"
#include "engines/testing/test_devices.h"
#include "fuzz/generators/values.h"
#include "ops/cuda/emulator.h"
#include "ops/cuda/gemm/gemm.h"
#include "ops/cuda/gemm/gemm_device.h"
#include "ops/cuda/registry.h"
#include "ops/linear/attrs.h"
#include "ops/lowerings.h"
#include "ops/sort/attrs.h"
#include "tests/kernels/run_kernel.h"
#include "tests/kernels/without_kernels.h"
#include "vm/memory_planner.h"

namespace tally::cuda {
namespace {

constexpr uint64_t kSeeds = 200;
constexpr uint64_t kMoreSeeds = 3000;       // until every entry has been met
constexpr int kCallsOfRow = 10;             // at least
constexpr int64_t kMostElements = 1 << 14;  // an emulated thread is slower than one of a GPU
constexpr size_t kMostLaunches = 12;        // sequences have one or two for each step

// Memory of a device that ends with its last piece of 16 bytes, the most that a kernel reads at once. The
// emulated device has no page after that; what a kernel may write has a guard up to there.
class GuardedMemory {
 public:
  static constexpr int64_t kPiece = 16;
  static constexpr uint8_t kFiller = 0xa5;

  // `content`, or room for as many bytes.
  GuardedMemory(Device& device, Stream& stream, std::span<const uint8_t> content, bool writable)
      : size_(content.size()), on_host_(content.begin(), content.end()) {
    const int64_t guarded = RoundUp(std::ssize(content), kPiece);
    if (writable) on_host_.assign(static_cast<size_t>(guarded), kFiller);
    const int64_t whole_lines = RoundUp(guarded, kBufferAlignment);
    memory_ = *device.Allocate(whole_lines);
    bytes_ = memory_->bytes() + whole_lines - guarded;
    EXPECT_TRUE(stream.CopyIn(bytes_, on_host_).ok());
  }

  uint8_t* bytes() const { return bytes_; }
  void Fetch(Stream& stream) { EXPECT_TRUE(stream.CopyOut(on_host_, bytes_).ok()); }
  std::span<const uint8_t> fetched() const { return {on_host_.data(), size_}; }
  bool GuardIsIntact() const {
    return std::all_of(on_host_.begin() + static_cast<ptrdiff_t>(size_), on_host_.end(),
                       [](uint8_t byte) { return byte == kFiller; });
  }

 private:
  size_t size_;
  std::vector<uint8_t> on_host_;
  std::unique_ptr<DeviceMemory> memory_;
  uint8_t* bytes_;
};

// Runs `work` on operands in `layout`: what is wrong, or "".
std::string Check(Device& device, const Work& work, const DrawnCall& call, Layout layout,
                  const std::vector<Tensor>& expected) {
  const auto stream = *device.NewStream();
  std::deque<GuardedMemory> memory[4];  // by Source
  const auto add = [&](Source source, std::span<const uint8_t> content, bool writable) {
    memory[static_cast<int>(source)].emplace_back(device, *stream, content, writable);
  };
  for (const Tensor& tensor : call.operands) add(Source::kOperand, InLayout(tensor, layout).bytes(), false);
  for (const Tensor& tensor : expected) add(Source::kResult, tensor.bytes(), true);
  for (const auto& bytes : work.constants) add(Source::kConstant, bytes, false);
  for (const int64_t bytes : work.scratch_bytes) {
    add(Source::kScratch, std::vector<uint8_t>(static_cast<size_t>(bytes)), true);
  }
  for (const Launch& launch : work.launches) {
    Memory at = {};
    for (size_t i = 0; i < launch.memory.size(); ++i) {
      const Ref& ref = launch.memory[i];
      at.at[i] = memory[static_cast<int>(ref.source)].at(ref.index).bytes() + ref.offset_bytes;
    }
    const absl::Status status = stream->Launch(launch.kernel, launch.shape, at, launch.params);
    if (!status.ok()) return status.ToString();
  }
  for (const Source source : {Source::kResult, Source::kScratch}) {
    for (GuardedMemory& written : memory[static_cast<int>(source)]) written.Fetch(*stream);
  }
  if (const absl::Status status = stream->Wait(); !status.ok()) return status.ToString();
  for (const Source source : {Source::kResult, Source::kScratch}) {
    for (const GuardedMemory& written : memory[static_cast<int>(source)]) {
      if (!written.GuardIsIntact()) return "wrote beyond a result or its working memory";
    }
  }
  for (size_t r = 0; r < expected.size(); ++r) {
    const Tensor moved = InLayout(expected[r], layout);
    const auto bytes = memory[static_cast<int>(Source::kResult)][r].fetched();
    if (std::ranges::equal(bytes, moved.bytes())) continue;
    for (int64_t i = 0;; ++i) {
      const int64_t is = LoadElement(moved.storage(), bytes.data(), i), should = moved.view().at(i);
      if (is == should) continue;
      return "result " + std::to_string(r) + " has " + std::to_string(is) + " at " + std::to_string(i) +
             ", not " + std::to_string(should);
    }
  }
  return "";
}

bool IsSmall(const DrawnCall& call) {
  int64_t elements = 0;
  for (const TensorType& type : call.operand_types) elements += type.shape.num_elements();
  for (const TensorType& type : call.result_types) elements += type.shape.num_elements();
  return elements <= kMostElements;
}

bool HasChannelsSomewhere(const DrawnCall& call) {
  const auto has = [](const TensorType& t) { return HasChannels(t.shape); };
  return std::ranges::any_of(call.operand_types, has) || std::ranges::any_of(call.result_types, has);
}

std::set<Opcode> OpsWithKernels() {
  std::set<Opcode> ops;
  for (const KernelEntry& entry : AllKernels()) ops.insert(entry.op);
  return ops;
}

class CudaKernels : public testing::TestWithParam<Opcode> {};

TEST_P(CudaKernels, EqualTheReference) {
  const Opcode op = GetParam();
  std::map<std::pair<const KernelEntry*, Layout>, int> taken;
  std::map<const KernelEntry*, int> chosen;  // on the least device that it is for
  for (const KernelEntry& entry : AllKernels()) {
    if (entry.op != op) continue;
    chosen[&entry] = 0;
    taken[{&entry, Layout::kRowMajor}] = 0;
    if (entry.layouts == Layouts::kEvery) taken[{&entry, Layout::kChannelsLast}] = 0;
  }
  const auto all_met = [&] {
    return std::ranges::all_of(taken, [](const auto& entry) { return entry.second >= kCallsOfRow; }) &&
           std::ranges::all_of(chosen, [](const auto& entry) { return entry.second > 0; });
  };
  int drawn = 0, refused = 0;
  for (uint64_t seed = 0; seed < kSeeds || (seed < kMoreSeeds && !all_met()); ++seed) {
    const auto call = DrawCall(op, seed);
    if (!call.has_value() || !IsSmall(*call)) continue;
    ++drawn;
    std::vector<Tensor> expected;
    bool any = false;
    for (auto& [key, count] : taken) {
      const auto& [entry, layout] = key;
      if (layout == Layout::kChannelsLast && !HasChannelsSomewhere(*call)) continue;
      const auto work = entry->prepare(call->FactsIn(layout));
      if (!work) continue;
      any = true;
      if (chosen[entry] == 0) {
        const auto selected = SelectKernel(call->FactsIn(layout), entry->arch);
        chosen[entry] += selected && selected->entry == entry ? 1 : 0;
      }
      if (work->launches.size() > kMostLaunches) continue;
      ++count;
      if (expected.empty()) expected = RunReference(*call);
      for (const auto& device : TestDevices()) {
        if (entry->arch > device->info().arch) continue;
        ASSERT_EQ(Check(*device, *work, *call, layout, expected), "")
            << entry->name << ", seed " << seed << (layout == Layout::kChannelsLast ? ", channels last" : "")
            << ", on " << device->info().name << "\n"
            << Describe(*call);
      }
    }
    refused += any ? 0 : 1;
  }
  std::cout << InfoOf(op).name << ": " << drawn << " calls, " << refused
            << " of them for the reference; taken:";
  for (const auto& [key, count] : taken) {
    std::cout << ' ' << count;
    EXPECT_GE(count, kCallsOfRow) << key.first->name << " took too few of " << drawn << " calls";
  }
  std::cout << "\n";
  for (const auto& [entry, calls] : chosen) {
    EXPECT_GT(calls, 0) << entry->name << " is shadowed: entries ahead of it take what it does";
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, CudaKernels, testing::ValuesIn(OpsWithKernels()),
                         [](const auto& info) { return std::string(InfoOf(info.param).name); });

constexpr std::tuple<Tiling, KernelId, Arch> kTilings[] = {
    {Tiling::kWide, KernelId::kGemmWgmma128x256, Arch::kSm90a},
    {Tiling::kNarrow, KernelId::kGemmWgmma128x128, Arch::kSm90a},
    {Tiling::kLarge, KernelId::kGemmMma128x128, Arch::kSm80},
    {Tiling::kSmall, KernelId::kGemmMma64x64, Arch::kSm80},
    {Tiling::kFewRows, KernelId::kSkinnyGemmDp4a, Arch::kSm80},
    {Tiling::kThreads, KernelId::kGemmDp4a, Arch::kSm80},
};

// The tile of a product depends on its size; here products and convolutions run in each.
TEST(CudaGemm, AreTheReferenceInEveryTile) {
  constexpr int kEnough = 8;  // an operator's
  std::map<std::pair<Opcode, KernelId>, int> met;
  for (const Opcode op : {Opcode::kMatmul, Opcode::kConvolution, Opcode::kConvTranspose}) {
    for (uint64_t seed = 0; seed < 400; ++seed) {
      const auto call = DrawCall(op, seed);
      if (!call.has_value() || !IsSmall(*call)) continue;
      std::vector<Tensor> expected;
      for (const auto& [tiling, wanted, arch] : kTilings) {
        const auto work =
            PrepareGemm(call->FactsIn(Layout::kRowMajor), {.y = call->result_types[0]}, {arch, tiling});
        if (!work) continue;
        const KernelId kernel = work->launches.back().kernel;
        if (kernel != wanted || met[{op, kernel}] == kEnough) continue;
        ++met[{op, kernel}];
        if (expected.empty()) expected = RunReference(*call);
        for (const auto& device : TestDevices()) {
          if (arch > device->info().arch) continue;
          ASSERT_EQ(Check(*device, *work, *call, Layout::kRowMajor, expected), "")
              << NameOf(kernel) << ", seed " << seed << "\n"
              << Describe(*call);
        }
      }
    }
  }
  for (const Opcode op : {Opcode::kMatmul, Opcode::kConvolution, Opcode::kConvTranspose}) {
    for (const auto& [tiling, kernel, arch] : kTilings) {
      const int calls = met[{op, kernel}];
      std::cout << InfoOf(op).name << ", " << NameOf(kernel) << ": " << calls << " calls\n";
      EXPECT_GT(calls, 0);
    }
  }
}

// A product [8, 48] by the transposed weights [columns, 48], and what is done to it.
struct FinishedProduct {
  static constexpr int64_t kRows = 8, kDepth = 48;
  int64_t columns;
  bool is_scaled, has_residual, has_table;
  RescaleParams scale;  // column 0's; those after it have other multipliers

  DrawnCall call;
  Attributes attributes = Pack(MatmulAttrs{.transpose_b = true});
  std::vector<RescaleParams> scales;
  ResidualScale residual = {
      .y_multiplier = 300, .r_multiplier = -170, .shift = 8, .lo = -120, .hi = 119, .addend = 128};
  std::vector<int8_t> table;
  GemmFusion fusion;
  std::vector<Tensor> expected;

  void Draw() {
    const std::vector<uint8_t> noise = NoiseBytes(static_cast<uint64_t>(columns + scale.shift), 1 << 14);
    EntropySource e(noise);
    const auto add = [&](std::initializer_list<int64_t> dims) {
      call.operand_types.push_back({ShapeOf(dims), {-128, 127}});
      call.operands.push_back(RandomTensor(e, call.operand_types.back()));
    };
    add({kRows, kDepth});
    add({columns, kDepth});
    add({kRows, columns});
    for (int64_t n = 0; n < columns && is_scaled; ++n) {
      scales.push_back(scale);
      scales.back().multiplier -= static_cast<int32_t>(n * 7919);
    }
    for (int i = 0; i < 256 && has_table; ++i) table.push_back(static_cast<int8_t>(i * 37 + 5));
    const Interval range = is_scaled ? Interval{-128, 127} : RangeOf(Storage::kI32);
    fusion = {.y = {ShapeOf({kRows, columns}), range}, .scale = scales, .table = table};
    if (has_residual) fusion.residual = residual;
    std::vector<int64_t> elements;
    for (int64_t i = 0; i < kRows * columns; ++i) elements.push_back(ElementOf(i));
    expected.push_back(*Tensor::FromValues(fusion.y.shape, fusion.y.storage(), elements));
  }

  int64_t ElementOf(int64_t i) const {
    const auto at = [&](int operand, int64_t k) { return call.operands[operand].view().at(k); };
    const int64_t row = i / columns, n = i % columns;
    int64_t y = 0;
    for (int64_t k = 0; k < kDepth; ++k) y += at(0, row * kDepth + k) * at(1, n * kDepth + k);
    if (is_scaled) y = Rescale<int64_t>(y, scales[n]);
    const auto& r = residual;
    if (has_residual) {
      y = (y * r.y_multiplier + at(2, i) * r.r_multiplier + r.addend) >> r.shift;
      y = std::clamp<int64_t>(y, r.lo, r.hi);
    }
    return has_table ? table[y + 128] : y;
  }

  std::optional<Work> WorkFor(const GemmChoice& choice) const {
    const TensorView weights = call.operands[1].view();
    const TensorView* const constants[] = {nullptr, &weights};
    const Storage storages[] = {Storage::kI8, Storage::kI8};
    const TensorType sums = {fusion.y.shape, RangeOf(Storage::kI32)};
    return PrepareGemm({.op = Opcode::kMatmul,
                        .attributes = &attributes,
                        .operands = std::span(call.operand_types).first(2),
                        .storages = storages,
                        .constants = constants,
                        .results = {&sums, 1},
                        .accumulator = {-kDepth << 14, kDepth << 14}},
                       fusion, choice);
  }
};

// Sums leave tiles as words, as bytes, or by the way that takes everything: 8, 2 and 1 divide the columns.
// Shifts are on both sides of what bytes take, and the multiplier's sign and the zero point too.
TEST(CudaGemm, FinishSumsInEveryTileAndForm) {
  const RescaleParams up = {.multiplier = 1 << 30, .shift = 42, .zero_out = -3, .lo = -100, .hi = 101};
  RescaleParams down = up, short_shift = up, floor = up;
  down.multiplier = -(1 << 30), down.shift = 32;
  short_shift.multiplier = 1 << 19, short_shift.shift = 31;
  floor.rounding = Rounding::kFloor;
  const std::vector<RescaleParams> scales = {up, down, short_shift, floor};
  std::map<std::pair<KernelId, StoreForm>, int> met;
  for (const int64_t columns : {40, 38, 35}) {
    for (const RescaleParams& scale : scales) {
      for (const auto& [is_scaled, has_residual, has_table] :
           {std::tuple(false, false, false), {true, false, false}, {true, true, false}, {true, true, true}}) {
        if (!is_scaled && &scale != &scales.front()) continue;
        FinishedProduct product = {columns, is_scaled, has_residual, has_table, scale};
        product.Draw();
        for (const auto& [tiling, kernel, arch] : kTilings) {
          const auto work = product.WorkFor({arch, tiling});
          ASSERT_TRUE(work.has_value());
          GemmParams params;
          std::memcpy(&params, work->launches.back().params.data(), sizeof params);
          ++met[{kernel, params.epilogue.form}];
          for (const auto& device : TestDevices()) {
            if (arch > device->info().arch) continue;
            ASSERT_EQ(Check(*device, *work, product.call, Layout::kRowMajor, product.expected), "")
                << NameOf(kernel) << ", " << columns << " columns, shift " << scale.shift << ", on "
                << device->info().name;
          }
        }
      }
    }
  }
  for (const auto& [tiling, kernel, arch] : std::span(kTilings).first(4)) {
    for (const StoreForm form : {StoreForm::kAny, StoreForm::kWords, StoreForm::kBytes}) {
      EXPECT_GT((met[{kernel, form}]), 0) << NameOf(kernel);
    }
  }
}

// More tiles than the calls of these tests have: every one is some block's, and blocks of a band are
// together.
TEST(CudaGemm, GiveEveryTileToOneBlock) {
  constexpr int kTilesM = 37, kTilesN = 5;
  GemmParams params = {.blocks_m = kTilesM, .blocks_n = kTilesN};
  std::vector<std::pair<int64_t, int>> tiles(kTilesM * kTilesN);
  Memory memory = {};
  memory.at[0] = reinterpret_cast<uint8_t*>(tiles.data());
  const EmulatedKernel kernel = [](const Thread& t, const Memory& m, const void* p) {
    const TileCoord tile(t, *static_cast<const GemmParams*>(p), 64, 32);
    m.as<std::pair<int64_t, int>>(0)[t.block_x()] = {tile.row / 64, tile.column / 32};
  };
  ASSERT_TRUE(Emulate(kernel, memory, &params, {.grid = {kTilesM * kTilesN}}).ok());
  for (int i = 0; i < TileCoord::kBand * kTilesN; ++i) EXPECT_LT(tiles[i].first, TileCoord::kBand);
  EXPECT_EQ(tiles.back(), std::pair(int64_t{kTilesM - 1}, kTilesN - 1));
  EXPECT_EQ(std::set(tiles.begin(), tiles.end()).size(), tiles.size());
  for (const auto& [row, column] : tiles)
    EXPECT_TRUE(row >= 0 && row < kTilesM && column >= 0 && column < kTilesN);
}

// An image that is all padding can be larger than what tiles count; it is summed by one thread for each
// result then.
TEST(CudaGemm, LeaveImagesOfMorePixelsThanTilesCountToThreads) {
  const Tensor weights(ShapeOf({8, 16, 1, 1}), Storage::kI8);
  const TensorView view = weights.view();
  const auto kernel_of = [&](int64_t pad) {
    const int64_t out = 1 + 2 * pad;
    const TensorType operands[] = {{ShapeOf({1, 16, 1, 1}), {-128, 127}}, {weights.shape(), {0, 0}}};
    const TensorType results[] = {{ShapeOf({1, 8, out, out}), {0, 0}}};
    const Storage storages[] = {Storage::kI8, Storage::kI8};
    const TensorView* const constants[] = {nullptr, &view};
    const Attributes attributes = Pack(ConvolutionAttrs{
        .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {pad, pad}, .pad_end = {pad, pad}});
    const auto work = PrepareGemm({.op = Opcode::kConvolution,
                                   .attributes = &attributes,
                                   .operands = operands,
                                   .storages = storages,
                                   .constants = constants,
                                   .results = results,
                                   .accumulator = {0, 0}},
                                  {.y = results[0]}, {});
    return std::string(NameOf(work->launches.back().kernel));
  };
  EXPECT_EQ(kernel_of(1 << 14), "tally_GemmMma64x64");
  EXPECT_EQ(kernel_of(1 << 15), "tally_DirectConvolution");  // with 2^32 pixels
}

// Small calls meet every kernel that small calls get: those of CudaKernels.EqualTheReference among them.
TEST(CudaGemm, MeetTheKernelsOfTheirShape) {
  std::set<std::string_view> met;
  for (const Opcode op : {Opcode::kMatmul, Opcode::kConvolution, Opcode::kConvTranspose}) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      const auto call = DrawCall(op, seed);
      if (!call.has_value() || !IsSmall(*call)) continue;
      const auto work = PrepareGemm(call->FactsIn(Layout::kRowMajor), {.y = call->result_types[0]}, {});
      if (!work) continue;
      for (const Launch& launch : work->launches) met.insert(NameOf(launch.kernel));
    }
  }
  const std::set<std::string_view> expected = {
      "tally_GemmMma64x64",      "tally_SkinnyGemmDp4a",      "tally_GemmDp4a",
      "tally_Depthwise3",        "tally_Depthwise5",          "tally_Depthwise3Stride2",
      "tally_Depthwise5Stride2", "tally_CombineLimbProducts", "tally_PackActivation",
      "tally_RowSums",           "tally_DirectConvolution",   "tally_DirectProduct"};
  EXPECT_EQ(met, expected);
}

// Cases that draws seldom reach: sums of bytes that are stored a word at a time, after which a line may end,
// and bytes that must be moved because their zero point is outside of them.
TEST(CudaGemm, ConvolveBytesThatAreAndStayChannelsLast) {
  const ConvolutionAttrs depthwise = {
      .stride = {1, 1}, .dilation = {1, 1}, .pad_begin = {1, 1}, .pad_end = {1, 1}, .groups = 16};
  ConvolutionAttrs moved = depthwise;
  moved.groups = 1, moved.zero_x = 150;
  const std::pair<ConvolutionAttrs, Interval> calls[] = {{depthwise, {-4, 4}}, {moved, {-20, 100}}};
  for (const auto& [attrs, elements] : calls) {
    const std::vector<uint8_t> noise = NoiseBytes(1, 4096);
    EntropySource e(noise);
    ModuleDraft draft(Profile::kCore);
    const DraftId x = draft.AddParam({ShapeOf({1, 16, 5, 5}), elements});
    const DraftId w = draft.AddConstant(RandomTensor(e, {ShapeOf({16, 16 / attrs.groups, 3, 3}), {-1, 1}}));
    ASSERT_TRUE(draft.TryEmit(Opcode::kConvolution, {x, w}, Pack(attrs)));
    const auto call = CallOf(draft, {draft.size() - 1}, e);
    ASSERT_TRUE(call.has_value());
    const auto prepared = SelectKernel(call->FactsIn(Layout::kChannelsLast), Arch::kSm80);
    ASSERT_TRUE(prepared.has_value());
    for (const auto& device : TestDevices()) {
      EXPECT_EQ(Check(*device, prepared->work, *call, Layout::kChannelsLast, RunReference(*call)), "")
          << prepared->entry->name;
    }
  }
}

// Distances of 48 bits leave items no room for the positions of 2^17 elements: slices are compared in memory
// then.
TEST(CudaSort, TakesLongLinesOfWideElements) {
  const TensorType x = {ShapeOf({(1 << 16) + 1}), TensorLimit(Profile::kCore)};
  const std::pair<Opcode, Attributes> calls[] = {
      {Opcode::kSort, Pack(SortAttrs{.descending = true})},
      {Opcode::kTopK, Pack(TopKAttrs{.k = 700, .order = TopKOrder::kIndex})},
      {Opcode::kUnique, Pack(UniqueAttrs{.sorted = false, .bound = 100})}};
  for (const auto& [op, attributes] : calls) {
    const std::vector<uint8_t> noise = NoiseBytes(1, 64);
    EntropySource e(noise);
    ModuleDraft draft(Profile::kCore, {.max_elements = 1 << 20, .max_gas = int64_t{1} << 40, .max_depth = 0});
    ASSERT_TRUE(draft.TryEmit(op, {draft.AddParam(x)}, attributes));
    std::vector<DraftId> results;
    for (DraftId id = 1; id < draft.size(); ++id) results.push_back(id);
    const auto call = CallOf(draft, results, e);
    ASSERT_TRUE(call.has_value());
    const auto prepared = SelectKernel(call->FactsIn(Layout::kRowMajor), Arch::kSm80);
    ASSERT_TRUE(prepared.has_value());
    const KernelId kernel = prepared->work.launches[1].kernel;
    EXPECT_EQ(kernel, KernelId::kSortRunsOfSlices) << NameOf(kernel);
    EXPECT_EQ(Check(*TestDevices()[0], prepared->work, *call, Layout::kRowMajor, RunReference(*call)), "")
        << prepared->entry->name;
  }
}

TEST(CudaKernelRegistry, LacksTheOperatorsOfItsList) {
  const std::set<Opcode> ops = OpsWithKernels();
  const auto has_kernel = [&](const OpInfo& op) {
    return ops.contains(op.code) || op.code == Opcode::kConstant || op.code == Opcode::kReshape ||
           op.code == Opcode::kFlatten || op.code == Opcode::kExpandDims || op.code == Opcode::kSqueeze;
  };
  EXPECT_EQ(OperatorsWithoutKernel(has_kernel), ListedWithoutKernel(&WithoutKernel::cuda))
      << "an operator has no kernel in ops/<family>/cuda and is not in tests/kernels/without_kernels.h, or "
         "has "
         "one and is";
}

TEST(CudaKernelRegistry, HasUniqueNamesAndOperatorsThatStandTogether) {
  std::set<std::string_view> names;
  std::set<Opcode> seen;
  Opcode current = {};
  for (const KernelEntry& entry : AllKernels()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    if (entry.op == current) continue;
    EXPECT_TRUE(seen.insert(entry.op).second) << entry.name;
    current = entry.op;
  }
}

}  // namespace
}  // namespace tally::cuda
