#include "ops/cuda/emulator.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/cuda/fiber.h"
#include "ops/cuda/fragments.h"
#include "ops/cuda/matrix_descriptor.h"
#include "ops/cuda/shared_memory.h"
#include "ops/cuda/warpgroup_unit.h"

namespace tally::cuda {

// Operations of all lanes of a warp together; from kBeginProduct on, what all threads of a warpgroup do.
enum class WarpOp {
  kShuffle,
  kLoadMatrix,
  kMultiply,
  kBeginProduct,
  kCommitProducts,
  kWaitProducts,
  kFenceAccumulators
};

struct LaneOperands {
  int64_t value = 0;  // kShuffle's
  int argument = 0;   // its mask; the offset of kLoadMatrix; columns of a product; groups that may fly
  uint32_t a[4], b[2];
  int32_t c[4];
  uint32_t r[4];  // kLoadMatrix's
  WarpgroupUnit::Operands product;
};

class EmulatedBlock {
 public:
  EmulatedBlock(std::deque<Fiber>& fibers, const LaunchShape& shape, Order order)
      : fibers_(fibers),
        order_(order),
        shared_(shape.shared_bytes, shape.block),
        threads_(shape.block),
        warps_((shape.block + kWarp - 1) / kWarp),
        warpgroups_((shape.block + kWarpgroup - 1) / kWarpgroup),
        units_(warpgroups_.size()) {}

  absl::Status Run(EmulatedKernel kernel, const Memory& memory, const void* params,
                   const Thread::Coordinates& at) {
    size_t next = 0;
    const auto run_threads = [&](size_t fiber) {
      // A thread that never waits leaves its fiber to the next one.
      while (next < threads_.size()) {
        const size_t x = order_ == Order::kForward ? next : threads_.size() - 1 - next;
        ++next;
        threads_[x].fiber = fiber;
        kernel(Thread(*this, static_cast<int>(x), at), memory, params);
        threads_[x].state = State::kEnded;
        ++ended_;
      }
    };
    for (size_t used = 0; next < threads_.size() && problem_.empty(); ++used) {
      if (used == fibers_.size()) fibers_.emplace_back();
      fibers_[used].Start([&, used] { run_threads(used); });
      Resume(used);
    }
    while (ended_ < threads_.size() && problem_.empty()) {
      bool progress = false;
      for (size_t i = 0; i < threads_.size() && problem_.empty(); ++i) {
        const size_t x = order_ == Order::kForward ? i : threads_.size() - 1 - i;
        if (threads_[x].state != State::kReady) continue;
        progress = true;
        Resume(threads_[x].fiber);
      }
      if (!progress) NoteThatAllWait();
    }
    for (const auto& groups : copies_in_flight_) {
      const bool fly = std::ranges::any_of(groups, [](const auto& copies) { return !copies.empty(); });
      if (problem_.empty() && fly) problem_ = "a thread ends with copies in flight";
    }
    for (const WarpgroupUnit& unit : units_) {
      if (problem_.empty() && unit.has_unfinished()) problem_ = "a warpgroup ends with products in flight";
    }
    if (problem_.empty()) return absl::OkStatus();
    fibers_.clear();  // some are left inside a kernel
    return absl::InternalError(
        absl::StrCat("block ", at.block_x, ", ", at.block_y, ", ", at.block_z, ": ", problem_));
  }

  void Barrier(int thread, int line) {
    if (waiting_at_barrier_ == 0) barrier_line_ = line;
    if (line != barrier_line_) {
      return Fail(thread, line,
                  absl::StrCat("waits at a barrier while others wait at that of line ", barrier_line_));
    }
    if (++waiting_at_barrier_ < threads_.size()) return Wait(thread, line, "the barrier");
    waiting_at_barrier_ = 0;
    shared_.PassBarrier();
    for (ThreadState& t : threads_) t.state = State::kReady;
  }

  void Together(int thread, WarpOp op, int line, LaneOperands& operands) {
    const bool of_warpgroup = op >= WarpOp::kBeginProduct;
    const int size = of_warpgroup ? kWarpgroup : kWarp, number = thread / size, first = number * size;
    Group& group = of_warpgroup ? warpgroups_[number] : warps_[number];
    if (group.arrived == 0) {
      group.op = op;
      group.line = line;
    }
    if (group.op != op || group.line != line) {
      return Fail(thread, line, absl::StrCat("while other lanes of its warp wait at line ", group.line));
    }
    group.lanes[thread - first] = &operands;
    if (++group.arrived < size) return Wait(thread, line, of_warpgroup ? "its warpgroup" : "its warp");
    group.arrived = 0;
    Compute(first, group);
    for (int lane = 0; lane < size; ++lane) threads_[first + lane].state = State::kReady;
  }

  void Note(int thread, int line, const std::optional<std::string>& problem) {
    if (problem) Fail(thread, line, *problem);
  }

  SharedMemory& shared() { return shared_; }
  WarpgroupUnit& UnitOf(int thread) { return units_[thread / kWarpgroup]; }

  struct Copy {
    int offset;
    const void* from;
  };
  // By thread: groups that are committed, and after them the one that is not.
  std::deque<std::vector<Copy>>& CopiesOf(int thread) {
    if (copies_in_flight_.empty()) copies_in_flight_.resize(threads_.size());
    return copies_in_flight_[thread];
  }

 private:
  enum class State { kReady, kWaiting, kEnded };
  struct ThreadState {
    State state = State::kReady;
    size_t fiber = 0;
    int line = 0;
    const char* waits_for = "";
  };
  struct Group {
    WarpOp op;
    int line = 0, arrived = 0;
    LaneOperands* lanes[kWarpgroup];
  };

  void Wait(int thread, int line, const char* what) {
    ThreadState& t = threads_[thread];
    t.state = State::kWaiting;
    t.line = line;
    t.waits_for = what;
    fibers_[running_].Leave();
  }

  void Resume(size_t fiber) {
    running_ = fiber;
    fibers_[fiber].Resume();
  }

  // Ends the launch; the thread that runs never goes on.
  void Fail(int thread, int line, absl::string_view what) {
    if (problem_.empty()) problem_ = absl::StrCat("thread ", thread, ", line ", line, ": ", what);
    fibers_[running_].Leave();
  }

  void NoteThatAllWait() {
    for (size_t x = 0; x < threads_.size(); ++x) {
      const ThreadState& t = threads_[x];
      if (t.state != State::kWaiting) continue;
      problem_ = absl::StrCat("thread ", x, ", line ", t.line, ": waits for ", t.waits_for,
                              ", which other threads never reach");
      return;
    }
  }

  void Compute(int first_thread, Group& warp) {
    switch (warp.op) {
      case WarpOp::kShuffle: return Shuffle(warp);
      case WarpOp::kLoadMatrix: return LoadMatrix(first_thread, warp);
      case WarpOp::kMultiply: return Multiply(warp);
      case WarpOp::kBeginProduct: return BeginProduct(first_thread, warp);
      case WarpOp::kCommitProducts: return UnitOf(first_thread).Commit();
      case WarpOp::kWaitProducts: return UnitOf(first_thread).Wait(shared_, warp.lanes[0]->argument);
      case WarpOp::kFenceAccumulators: return UnitOf(first_thread).Fence();
    }
  }

  static void Shuffle(Group& warp) {
    int64_t values[kWarp];
    for (int lane = 0; lane < kWarp; ++lane) {
      values[lane] = warp.lanes[(lane ^ warp.lanes[lane]->argument) % kWarp]->value;
    }
    for (int lane = 0; lane < kWarp; ++lane) warp.lanes[lane]->value = values[lane];
  }

  void LoadMatrix(int first_thread, Group& warp) {
    for (int lane = 0; lane < kWarp; ++lane) {
      const MatrixCoord coord = CoordInMatrix(lane);
      for (int matrix = 0; matrix < 4; ++matrix) {
        const int row = warp.lanes[matrix * 8 + coord.row]->argument;
        if (row % 16 != 0)
          return Fail(first_thread + lane, warp.line, "a row of ldmatrix is not aligned to 16 bytes");
        Note(first_thread + lane, warp.line,
             shared_.Read(first_thread + lane, row + coord.column, 4, 4, &warp.lanes[lane]->r[matrix]));
      }
    }
  }

  void BeginProduct(int first_thread, Group& warpgroup) {
    WarpgroupUnit::Operands operands[kWarpgroup];
    for (int i = 0; i < kWarpgroup; ++i) operands[i] = warpgroup.lanes[i]->product;
    Note(first_thread, warpgroup.line,
         UnitOf(first_thread).Begin(shared_, warpgroup.lanes[0]->argument, operands));
  }

  static void Multiply(Group& warp) {
    int8_t a[kMmaM][kMmaK], b[kMmaN][kMmaK];
    const auto byte = [](const uint32_t* registers, int i) {
      return static_cast<int8_t>(registers[i / 4] >> (i % 4 * 8));
    };
    for (int lane = 0; lane < kWarp; ++lane) {
      for (int i = 0; i < 16; ++i) {
        const MatrixCoord p = CoordInA(lane, i);
        a[p.row][p.column] = byte(warp.lanes[lane]->a, i);
      }
      for (int i = 0; i < 8; ++i) {
        const MatrixCoord p = CoordInB(lane, i);
        b[p.column][p.row] = byte(warp.lanes[lane]->b, i);
      }
    }
    for (int lane = 0; lane < kWarp; ++lane) {
      for (int i = 0; i < 4; ++i) {
        const MatrixCoord p = CoordInC(lane, i);
        int32_t sum = 0;  // at most 32 * 2^14
        for (int k = 0; k < kMmaK; ++k) sum += a[p.row][k] * b[p.column][k];
        int32_t& c = warp.lanes[lane]->c[i];
        c = static_cast<int32_t>(static_cast<uint32_t>(c) + static_cast<uint32_t>(sum));
      }
    }
  }

  std::deque<Fiber>& fibers_;
  Order order_;
  SharedMemory shared_;
  std::vector<ThreadState> threads_;
  std::vector<Group> warps_, warpgroups_;
  std::vector<WarpgroupUnit> units_;
  std::vector<std::deque<std::vector<Copy>>> copies_in_flight_;
  size_t running_ = 0;  // fiber
  size_t ended_ = 0, waiting_at_barrier_ = 0;
  int barrier_line_ = 0;
  std::string problem_;
};

void Thread::Barrier(int line) const { block_.Barrier(x_, line); }

void Thread::ReadShared(int offset, int size, void* to, int line) const {
  block_.Note(x_, line, block_.shared().Read(x_, offset, size, size, to));
}
void Thread::WriteShared(int offset, int size, const void* from, int line) const {
  block_.Note(x_, line, block_.shared().Write(x_, offset, size, size, from));
}

int64_t Thread::ShuffleXor(int64_t value, int mask, int line) const {
  LaneOperands operands = {.value = value, .argument = mask};
  block_.Together(x_, WarpOp::kShuffle, line, operands);
  return operands.value;
}

void Thread::CopyAsync16(int offset, const void* from, int line) const {
  if (reinterpret_cast<uintptr_t>(from) % 16 != 0) {
    block_.Note(x_, line, "copies from an address that is not aligned to 16 bytes");
  }
  block_.Note(x_, line, block_.shared().BeginCopy(x_, offset));
  auto& groups = block_.CopiesOf(x_);
  if (groups.empty()) groups.emplace_back();
  groups.back().push_back({offset, from});
}

void Thread::CommitCopies() const {
  auto& groups = block_.CopiesOf(x_);
  if (groups.empty()) groups.emplace_back();
  groups.emplace_back();
}

void Thread::WaitForCopies(int in_flight) const {
  auto& groups = block_.CopiesOf(x_);
  while (static_cast<int>(groups.size()) > in_flight + 1) {
    for (const auto& copy : groups.front()) block_.shared().LandCopy(x_, copy.offset, copy.from);
    groups.pop_front();
  }
  if (groups.size() == 1 && groups.front().empty()) groups.clear();
}

void Thread::LoadMatrix4(int offset, uint32_t (&r)[4], int line) const {
  LaneOperands operands = {.argument = offset};
  block_.Together(x_, WarpOp::kLoadMatrix, line, operands);
  std::memcpy(r, operands.r, sizeof r);
}

void Thread::MultiplyS8(int32_t (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], int line) const {
  LaneOperands operands = {};
  std::memcpy(operands.a, a, sizeof a);
  std::memcpy(operands.b, b, sizeof b);
  std::memcpy(operands.c, c, sizeof c);
  block_.Together(x_, WarpOp::kMultiply, line, operands);
  std::memcpy(c, operands.c, sizeof c);
}

void Thread::Dot4(int32_t& sum, uint32_t a, uint32_t b) const {
  int32_t dot = 0;  // at most 4 * 2^14
  for (int shift = 0; shift < 32; shift += 8)
    dot += static_cast<int8_t>(a >> shift) * static_cast<int8_t>(b >> shift);
  sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(dot));
}

uint64_t Thread::DescribeMatrix(int offset) const {
  return MatrixDescriptor::Encode(static_cast<uint32_t>(kSharedMemoryAddress + offset));
}

void Thread::BeginProduct(AccumulatorRegisters& sums, int columns, uint64_t a, uint64_t b, int line) const {
  LaneOperands operands = {.argument = columns, .product = {&sums, a, b}};
  block_.Together(x_, WarpOp::kBeginProduct, line, operands);
}
void Thread::CommitProducts(int line) const {
  LaneOperands operands = {};
  block_.Together(x_, WarpOp::kCommitProducts, line, operands);
}
void Thread::WaitForProducts(int in_flight, int line) const {
  LaneOperands operands = {.argument = in_flight};
  block_.Together(x_, WarpOp::kWaitProducts, line, operands);
}
void Thread::FenceAccumulators(int line) const {
  LaneOperands operands = {};
  block_.Together(x_, WarpOp::kFenceAccumulators, line, operands);
}
void Thread::TouchAccumulators(AccumulatorRegisters& sums, int line) const {
  if (sums.products_in_flight > 0) block_.Note(x_, line, "touches sums that a product in flight changes");
  sums.touched_at = block_.UnitOf(x_).fences();
}
void Thread::FenceAsyncProxy() const { block_.shared().FenceForUnit(x_); }
void Thread::Trap(int line) const { block_.Note(x_, line, "gives up"); }

absl::Status Emulate(EmulatedKernel kernel, const Memory& memory, const void* params,
                     const LaunchShape& shape, Order order) {
  static thread_local std::deque<Fiber> fibers;  // their stacks serve every launch
  const GridShape& grid = shape.grid;
  const int64_t blocks = int64_t{grid.x} * grid.y * grid.z;
  for (int64_t i = 0; i < blocks; ++i) {
    const int64_t b = order == Order::kForward ? i : blocks - 1 - i;
    EmulatedBlock block(fibers, shape, order);
    const absl::Status status =
        block.Run(kernel, memory, params,
                  {shape.block, static_cast<int>(b % grid.x), static_cast<int>(b / grid.x % grid.y),
                   static_cast<int>(b / grid.x / grid.y), grid.x});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace tally::cuda
