// Where wgmma finds a matrix of bytes in shared memory, as the PTX ISA has it ("Asynchronous Warpgroup Level
// Matrix Instructions": "Shared Memory Matrix Layout", "Matrix Descriptor Format"), for the one layout that
// kernels use.
//
// A matrix has rows of 128 bytes of depth. Eight rows are an atom of 1024 bytes, at a multiple of 1024; in
// row r of an atom the chunk c of 16 bytes is where chunk c ^ r would, so that eight lanes that touch one
// column of chunks touch every bank. The unit does the same to the addresses of what it reads: bits 4 to 6
// are those exclusive or bits 7 to 9. A product of 32 bytes of depth takes a quarter of the rows, from 0, 32,
// 64 or 96 bytes after the first on.
#pragma once

#include <cstdint>

namespace tally::cuda {

inline constexpr int kSwizzledRowBytes = 128, kAtomRows = 8, kAtomBytes = 1024;
inline constexpr uint32_t kMatrixAddressBits = 18;

// Byte `offset` of a matrix whose rows are plain, one after the other, moves here.
constexpr int Swizzled(int offset) { return offset ^ (offset >> 7 & 7) << 4; }

// Bits 0-13: the address; 16-29: the distance of atoms along the depth, not read where a row has all of it;
// 32-45: that of atoms along the rows; 49-51: the row of the first atom's pattern that `address` has, 0;
// 62-63: the swizzle, 1 for 128 bytes. Addresses and distances are in units of 16 bytes.
struct MatrixDescriptor {
  static constexpr uint64_t kSwizzle128 = 1;

  static constexpr uint64_t Encode(uint32_t address) {
    return (address & ((1u << kMatrixAddressBits) - 1)) >> 4 | uint64_t{1} << 16 |
           uint64_t{kAtomBytes >> 4} << 32 | kSwizzle128 << 62;
  }

  uint32_t address, atom_distance, first_row, swizzle;

  constexpr explicit MatrixDescriptor(uint64_t bits)
      : address(static_cast<uint32_t>(bits & 0x3fff) << 4),
        atom_distance(static_cast<uint32_t>(bits >> 32 & 0x3fff) << 4),
        first_row(static_cast<uint32_t>(bits >> 49 & 7)),
        swizzle(static_cast<uint32_t>(bits >> 62)) {}

  // The address of byte `byte` of the 32 of row `row`.
  constexpr uint32_t AddressOf(int row, int byte) const {
    const uint32_t plain = address + static_cast<uint32_t>(row / kAtomRows) * atom_distance +
                           static_cast<uint32_t>(row % kAtomRows * kSwizzledRowBytes + byte);
    return static_cast<uint32_t>(Swizzled(static_cast<int>(plain)));
  }
};

}  // namespace tally::cuda
