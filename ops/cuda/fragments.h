// Which elements of a matrix product are in which registers of which lane: mma.m16n8k32 of bytes, ldmatrix
// and wgmma.m64nNk32, as the PTX ISA documents them ("Matrix Fragments for mma.m16n8k32", "ldmatrix", "Matrix
// Fragments for wgmma.mma_async.m64nNk32").
#pragma once

namespace tally::cuda {

inline constexpr int kMmaM = 16, kMmaN = 8, kMmaK = 32;
inline constexpr int kWgmmaM = 64, kWgmmaK = 32;

struct MatrixCoord {
  int row, column;
};

// Byte i (0..15) of the four registers of a [16, 32].
constexpr MatrixCoord CoordInA(int lane, int i) {
  return {lane / 4 + (i / 4 % 2) * 8, lane % 4 * 4 + i % 4 + i / 8 * 16};
}
// Byte i (0..7) of the two registers of b [32, 8].
constexpr MatrixCoord CoordInB(int lane, int i) { return {lane % 4 * 4 + i % 4 + i / 4 * 16, lane / 4}; }
// Register i (0..3) of c [16, 8].
constexpr MatrixCoord CoordInC(int lane, int i) { return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2}; }

// Register `matrix` of ldmatrix holds four bytes of one row of that matrix, from this place on; a row has 16
// bytes.
constexpr MatrixCoord CoordInMatrix(int lane) { return {lane / 4, lane % 4 * 4}; }

// Register i of the sums [64, N] of thread `thread` of a warpgroup: each warp has 16 rows, in blocks of 8
// columns that are those of mma.
constexpr MatrixCoord CoordInWarpgroupAccumulators(int thread, int i) {
  const MatrixCoord in_block = CoordInC(thread % 32, i % 4);
  return {thread / 32 * kMmaM + in_block.row, i / 4 * kMmaN + in_block.column};
}

}  // namespace tally::cuda
