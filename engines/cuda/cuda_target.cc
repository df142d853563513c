#include "engines/cuda/cuda_target.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "engines/cuda/operator_step.h"
#include "ops/cuda/hash/merkle.h"
#include "ops/cuda/move.h"

namespace tally::cuda {
namespace {

std::vector<BufferId> BuffersOf(std::span<const ValueRef> values) {
  std::vector<BufferId> ids;
  for (const ValueRef& value : values) ids.push_back(value.buffer);
  return ids;
}

// Elements of x in the storage of y.
Work StoreWork(const ValueRef& x, const ValueRef& y) {
  const int64_t count = y.type.shape.num_elements();
  MoveParams params = {.loops = {.count = count, .rank = 1}, .from = x.storage, .to = y.storage};
  params.loops.dims[0] = count;
  params.loops.strides[0][0] = params.loops.strides[1][0] = 1;
  Work work;
  work.Add(KernelId::kMove, GridOver(count), params, {OperandAt(0), ResultAt(0)});
  return work;
}

}  // namespace

std::optional<GemmForm> CudaTarget::GemmAt(size_t step) {
  const Instruction& instruction = function_.instruction(step);
  const bool product = instruction.op == Opcode::kMatmul;
  if (!product && instruction.op != Opcode::kConvolution && instruction.op != Opcode::kConvTranspose)
    return std::nullopt;
  const ValueId y = function_.result(step);
  if (function_.constant(y) != nullptr || !TakesGemm(step)) return std::nullopt;
  if (!product && function_.constant(instruction.operands[1]) == nullptr) return std::nullopt;
  const int rank = function_.type(y).shape.rank();
  return GemmForm{
      .channel_axis = product ? rank - 1 : 1,
      .is_s64 = !RangeOf(Storage::kI32).Contains(function_.facts().instructions[step].accumulator)};
}

bool CudaTarget::TakesGemm(size_t step) {
  const Instruction& instruction = function_.instruction(step);
  std::vector<TensorType> operands;
  std::vector<Storage> storages;
  std::vector<const TensorView*> constants;
  for (const ValueId id : instruction.operands) {
    operands.push_back(function_.type(id));
    constants.push_back(function_.constant(id));
    storages.push_back(constants.back() != nullptr ? constants.back()->storage : operands.back().storage());
  }
  const TensorType& y = function_.type(function_.result(step));
  if (!cuda::TakesGemm({.op = instruction.op,
                        .attributes = &instruction.attributes,
                        .operands = operands,
                        .storages = storages,
                        .constants = constants,
                        .results = {&y, 1},
                        .accumulator = function_.facts().instructions[step].accumulator})) {
    return false;
  }
  // The needs of launches on weights as they are: a copy of them, and by column the accumulator init and the
  // scale.
  constexpr int64_t kBytesOfColumn = 64, kBytesOfTables = 1024;
  const int64_t columns = instruction.op == Opcode::kMatmul ? y.shape[y.shape.rank() - 1] : y.shape[1];
  const int64_t bytes =
      columns * kBytesOfColumn + kBytesOfTables + (constants[1] != nullptr ? operands[1].size_bytes() : 0);
  if (bytes > context_.direct_bytes_left) return false;
  context_.direct_bytes_left -= bytes;
  return true;
}

// Whatever is there.
Layout CudaTarget::LayoutOfX(const FusionGroup&, bool, bool has_channels_last) const {
  return has_channels_last ? Layout::kChannelsLast : Layout::kRowMajor;
}

bool CudaTarget::RunsChannelsLast(const Schedule& schedule, const ScheduledOp& op) {
  auto prepared = PrepareInstruction(schedule, op);
  if (!prepared || !Keeps(prepared->work, context_.most_made_bytes)) return false;
  prepared_.emplace(op.instruction, *std::move(prepared));
  return true;
}

bool CudaTarget::MayKeep(int64_t bytes) {
  if (context_.made_bytes + bytes > context_.most_made_bytes) return false;
  context_.made_bytes += bytes;
  return true;
}

bool CudaTarget::Keeps(const Work& work, int64_t most) {
  int64_t bytes = 0;
  for (const auto& constant : work.constants) bytes += std::ssize(constant);
  if (context_.made_bytes + bytes > most) return false;
  context_.made_bytes += bytes;
  return true;
}

std::optional<SelectedKernel> CudaTarget::PrepareInstruction(const Schedule& schedule,
                                                             const ScheduledOp& op) const {
  return WithFacts(schedule, CallOf(function_, op), op.layout,
                   function_.facts().instructions[op.instruction].accumulator,
                   [&](const KernelFacts& facts) { return SelectKernel(facts, context_.arch); });
}

void CudaTarget::Select(Schedule& schedule, ScheduledOp& op) {
  switch (op.kind) {
    case ScheduledOpKind::kFusionGroup: return SelectGemm(schedule, op);
    case ScheduledOpKind::kConvert: {
      auto moved = WithFacts(schedule, ConversionOf(op.operands[0], op.results[0]), Layout::kRowMajor, {},
                             [&](const KernelFacts& facts) { return SelectKernel(facts, context_.arch); });
      assert(moved);  // every transpose has an entry
      return AddWork(moved->entry->name, std::move(moved->work), schedule, op);
    }
    case ScheduledOpKind::kStore:
      return AddWork("convert", StoreWork(op.operands[0], op.results[0]), schedule, op);
    case ScheduledOpKind::kRoot: {
      const ValueRef& x = op.operands[0];
      return AddWork("tensor_root", TensorRootWork(x.storage, PhysicalShape(x.type.shape, x.layout)),
                     schedule, op);
    }
    case ScheduledOpKind::kCopy:
    case ScheduledOpKind::kInstruction: return SelectInstruction(schedule, op);
    case ScheduledOpKind::kView: assert(false);
  }
}

void CudaTarget::SelectInstruction(Schedule& schedule, ScheduledOp& op) {
  if (auto known = prepared_.extract(op.instruction); !known.empty()) {
    SelectedKernel& prepared = known.mapped();
    return AddWork(prepared.entry->name, std::move(prepared.work), schedule, op);
  }
  auto prepared = PrepareInstruction(schedule, op);
  if (!prepared || !Keeps(prepared->work, context_.most_made_bytes)) return AddReference(schedule, op);
  AddWork(prepared->entry->name, std::move(prepared->work), schedule, op);
}

void CudaTarget::SelectGemm(Schedule& schedule, ScheduledOp& op) {
  const FusionGroup& group = schedule.groups[op.group];
  const Instruction& gemm = function_.instruction(group.gemm);
  const bool product = gemm.op == Opcode::kMatmul;
  const GemmFusion fusion = {.y = op.results[0].type,
                             // A view has the same bytes in both layouts.
                             .y_layout = product ? Layout::kRowMajor : Layout::kChannelsLast,
                             .bias = group.bias ? function_.constant(*group.bias) : nullptr,
                             .scale = group.scale,
                             .residual = group.residual ? std::optional(group.residual_scale) : std::nullopt,
                             .table = group.table};
  OperatorCall call = {gemm.op, gemm.attributes, op.operands, {}};
  call.operands.resize(gemm.operands.size());
  const TensorType& sums = function_.type(function_.result(group.gemm));
  call.results = {{-1, sums, sums.storage(), op.layout}};
  Work work = WithFacts(schedule, call, op.layout, function_.facts().instructions[group.gemm].accumulator,
                        [&](const KernelFacts& facts) {
                          Work packed = *PrepareGemm(facts, fusion, {.arch = context_.arch});
                          if (Keeps(packed, context_.most_made_bytes / 2)) return packed;
                          Work direct = *PrepareGemm(facts, fusion, {.arch = context_.arch, .packs = false});
                          for (const auto& bytes : direct.constants) context_.made_bytes += std::ssize(bytes);
                          return direct;
                        });
  AddWork(InfoOf(gemm.op).name, std::move(work), schedule, op);
}

void CudaTarget::AddWork(std::string_view name, Work work, Schedule& schedule, ScheduledOp& op) {
  std::vector<BufferId> constants, scratch;
  for (auto& bytes : work.constants) constants.push_back(schedule.KeepConstant(std::move(bytes)));
  for (const int64_t bytes : work.scratch_bytes) scratch.push_back(schedule.NewBuffer(bytes));
  op.steps.push_back(MakeLaunchStep(name, std::move(work.launches), BuffersOf(op.operands),
                                    BuffersOf(op.results), std::move(constants), std::move(scratch)));
}

void CudaTarget::AddReference(Schedule& schedule, ScheduledOp& op) {
  OperatorCall call = CallOf(function_, op);
  std::vector<const uint8_t*> constants;
  for (const ValueRef& x : call.operands) {
    const auto [root, offset] = schedule.PlaceOf(x.buffer);
    const Buffer& buffer = schedule.buffers[root];
    constants.push_back(buffer.is_constant() ? buffer.constant.data() + offset : nullptr);
  }
  // Functions have the memory of their programs instead of that which validation has counted.
  const InstructionFacts& facts = function_.facts().instructions[op.instruction];
  int64_t functions = 0, counted = 0;
  ForEachFunction(InfoOf(call.op).attributes, call.attributes, [&](int64_t number) {
    functions = std::max(functions, (*context_.programs)[number].arena_bytes);
    counted = std::max(counted, function_.module().functions()[number].arena_bytes);
  });
  const BufferId scratch = functions == 0 ? -1 : schedule.NewBuffer(functions);
  op.steps.push_back(MakeReferenceStep(std::move(call), std::move(constants), function_.module(),
                                       context_.programs, scratch, facts.scratch_bytes - counted));
}

}  // namespace tally::cuda
