// y = x + [10, 300], byte by byte: pins format version 1.
#pragma once

#include <cstdint>
#include <vector>

#include "vm/module_builder.h"

namespace tally {

inline std::vector<uint8_t> GoldenBytes() {
  std::vector<uint8_t> bytes = {
      0x89, 't',  'a', 'l', 'l', 'y', '\r', '\n',  // magic
      1,                                           // format version
      1,                                           // profile core
      1,    0,    0,   0,                          // spec version

      1,    16,   0,   0,   0,   0,   0,    0,    0,  // 14: functions, 16 bytes
      1,                                              // 23: one function
      1,    1,    2,   9,   10,                       // 24: one parameter: rank 1, [2], in [-5, 5]
      2,                                              // 29: two instructions
      0x81, 0x1e, 0,                                  // 30: constant {index = 0}
      0x81, 0x02, 0,   1,                             // 33: broadcast_add %0, %1
      1,    2,                                        // 37: one result: %2

      2,    4,    0,   0,   0,   0,   0,    0,    0,  // 39: constants, 4 bytes
      1,    1,    1,   2,                             // 48: one constant: i16, rank 1, [2]

      3,    9,    0,   0,   0,   0,   0,    0,    0,  // 52: metadata, 9 bytes
      1,    'x',  0,                                  // 61: "x", no scale
      1,    'y',  1,   5,   2,   8,                   // 64: "y", zero point -3, scale 1 * 2^-4

      4,    53,   0,   0,   0,   0,   0,    0,    0,  // 70: data, 53 bytes
  };
  bytes.resize(128);
  bytes.insert(bytes.end(), {10, 0, 0x2c, 0x01});  // 128: 10, 300
  return bytes;
}

inline Module GoldenModule() {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({2}), {-5, 5}});
  const ValueId c = b.Constant(*Tensor::FromValues(*Shape::Create({2}), {10, 300}));
  b.Result("y", b.Op(Opcode::kBroadcastAdd, {x, c}),
           Quantization{.zero_point = -3, .multiplier = 1, .shift = 4});
  return std::move(b).Build();
}

}  // namespace tally
