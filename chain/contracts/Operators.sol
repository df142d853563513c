// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {refuse} from "./Refusal.sol";

// The operator table, from docs/spec/opcodes.json by `./dev docs`; do not edit. A row is packed:
//   operands: 8 bits, attributes: 8, which are lists: 16, which are no signed integers: 16, operands of which
//   many elements are read: 16, of which one: 16, of which few: 16, runs functions: 1, referee: 7
// Operands from the 16th on are as the 16th.
type Row is uint256;

uint256 constant VARIADIC = 255;
uint256 constant CONSTANT_OPERATOR = 3841;
uint256 constant CALL_OPERATOR = 3842;
uint256 constant IF_OPERATOR = 3843;
uint256 constant LOOP_OPERATOR = 3844;

// 14 bytes for each row. A family has rows without gaps; byte f is where those of family f begin.
bytes constant OPERATORS = hex"01000000ffff000000000000000201000000ffff000000000000000201000000ffff000000000000000201000000ffff000000000000000201000000ffff000000000000000201000000ffff000000000000000201000000ffff000000000000000201000000ffff000000000000000101000000ffff000000000000000101000000ffff000000000000000101000000ffff000000000000020101000000ffff000000000000000101000000ffff0000000000000002000000000000000000000000000001000000ffff000000010000010201000000ffff000000010000010201000000ffff000000000000000201000000ffff000000000000000201000000ffff000000010000010201000000ffff000000000000000201000000ffff000000000000000201000000ffff000000000000000201000000ffff000000000000010101000000ffff000000010000010101000000ffff000000000000000201000000ffff000000000000000301000000ffff000000010000010201000000ffff0000000000000003010400000000ffff000600010301010400000000ffff000600010301010400000000ffff000500020301010400000000ffff000b00000401010400000000ffff00060000030101020000fffc00030000000704ff01020000fffc00030000000000ff010200000000ffff00030000040201020000fffc00030000000f07ff01020000fffc00030000001f08ff010c00000000ffff0020000708ff010400000000ffff000800070401010400000000ffff0020001f0601010400000000ffff0020001f0601010400000000ffff0000001f0601010400000000ffff0460001f0e0100000000000000000000000000000000000000000000000000000000010c0002fffc0001000000010403010c0002fffc0001003000010803010c0002fffc0001001000210703010cfffa000400010000001109ff01000000ffff000000000001010101000000ffff000000000000000101000000ffff000000000000020101000000ffff000000000001010101000000ffff000000000001010101000000ffff00000000000001ff01000000ffff000000000000020101000000ffff000000000001010101000000ffff0000000000070301010000000001000000000001010201000000ffff000000080003040101000000ffff000000000001010101000001fffe00000000000002020100000000000000000000010400010000000000000000000001020001080001fffe000000000001010201080001fffe00000000000001020108ffff0000000000000000010201080001fffe000000000000010201080000fffc0003000000000004010800000001fffe000200000203010800000001fffe000100000103010800000001fffe000200000203010800010000fffe0000000003020100fffe000100000000000001020100fffe00010000000000000102000000000000000000000000000000000000000000000000000000000100fffe0001000000010000050301000000ffff000000200000060401000000ffff00000010000308ff01000000ffff000000000000010101000000ffff000000000000020101000000ffff000000000000020101000000ffff0000001000000802010600000000ffff0000000005020106fffc0000000300000000060301060000fffe000100080001080301060000fffe00010008000109030106fffe00000001000000070a03010c0000ffff0000000000000101010c00000000ffff000000000103010c0003fffc0000004e00010803010cffff0000000000070000050201080000fffe0001000000000101010e0000fffe0001000400000402010e00000000ffff18d100000d02000000000000000000000000000000000000000000000000000000000000000000000000000000000000010800000000ffff0002000002ff010a00000000ffff000200000201010a00000000ffff000200000201010a00000000ffff000c00000401010a00000000ffff000200010401011000000000ffff000d000004ff011000000000ffff007d00000cff011000000000ffff001d000005ff0100000000000000000000000100010100000000ffff0000000001ff010100000000ffff0000000002ff010100000000ffff0010000005ff010600000000ffff0004000809ff010a0000ffff00000000000105ff0000000000000000000000000000010a0000fffe00010000000003ff";
uint256 constant FAMILIES = 0x7471706c69655e5a554f4a413227211c180000;

function rowOf(bytes memory table, uint256 code) pure returns (Row row) {
    unchecked {
        uint256 family = code >> 8;
        uint256 number = code & 0xff;
        if (family == 0 || family > 17 || number == 0) refuse("unknown_opcode");
        uint256 pos = uint8(FAMILIES >> (8 * family)) + number - 1;
        if (pos >= uint8(FAMILIES >> (8 * family + 8))) refuse("unknown_opcode");
        uint256 word;
        assembly ("memory-safe") {
            word := shr(144, mload(add(add(table, 32), mul(pos, 14))))
        }
        if (word == 0) refuse("unknown_opcode");
        row = Row.wrap(word);
    }
}

// The row of a step of a function (Case.sol).
function rowIn(uint256 step) pure returns (Row) {
    return Row.wrap(step >> 144);
}

using {operands, attributes, lists, plain, isWide, readsMany, readsNamed, readsOne, runsFunctions, referee} for Row global;

function operands(Row row) pure returns (uint256) {
    return uint8(Row.unwrap(row));
}

function attributes(Row row) pure returns (uint256) {
    return uint8(Row.unwrap(row) >> 8);
}

// Bit k: attribute k is a list.
function lists(Row row) pure returns (uint256) {
    return uint16(Row.unwrap(row) >> 16);
}

// Bit k: attribute k is a flag or a position in a list of names.
function plain(Row row) pure returns (uint256) {
    return uint16(Row.unwrap(row) >> 32);
}

// Whether it reads many elements of one of so many operands.
function isWide(Row row, uint256 count) pure returns (bool) {
    uint256 some = count >= 16 ? 0xffff : (1 << count) - 1;
    return uint16(Row.unwrap(row) >> 48) & some != 0;
}

function readsMany(Row row, uint256 operand) pure returns (bool) {
    return (Row.unwrap(row) >> (48 + (operand < 16 ? operand : 15))) & 1 == 1;
}

function readsOne(Row row, uint256 operand) pure returns (bool) {
    return (Row.unwrap(row) >> (64 + (operand < 16 ? operand : 15))) & 1 == 1;
}

function readsNamed(Row row, uint256 operand) pure returns (bool) {
    return (Row.unwrap(row) >> (80 + (operand < 16 ? operand : 15))) & 1 == 1;
}

function runsFunctions(Row row) pure returns (bool) {
    return (Row.unwrap(row) >> 96) & 1 == 1;
}

function referee(Row row) pure returns (uint256) {
    return uint8(Row.unwrap(row) >> 97) & 127;
}

uint256 constant OP_BROADCAST_ADD = 0x0101;
uint256 constant OP_BROADCAST_SUB = 0x0102;
uint256 constant OP_BROADCAST_MUL = 0x0103;
uint256 constant OP_BROADCAST_DIV = 0x0104;
uint256 constant OP_BROADCAST_MAX = 0x0105;
uint256 constant OP_ELEMWISE_ADD = 0x0106;
uint256 constant OP_ELEMWISE_SUB = 0x0107;
uint256 constant OP_ABS = 0x0108;
uint256 constant OP_NEGATIVE = 0x0109;
uint256 constant OP_RELU = 0x010a;
uint256 constant OP_CLIP = 0x010b;
uint256 constant OP_CVM_PRECISION = 0x010c;
uint256 constant OP_BROADCAST_MIN = 0x010d;
uint256 constant OP_DIVIDE = 0x010f;
uint256 constant OP_MODULO = 0x0110;
uint256 constant OP_POWER = 0x0111;
uint256 constant OP_SHIFT_LEFT = 0x0112;
uint256 constant OP_SHIFT_RIGHT = 0x0113;
uint256 constant OP_BITWISE_AND = 0x0114;
uint256 constant OP_BITWISE_OR = 0x0115;
uint256 constant OP_BITWISE_XOR = 0x0116;
uint256 constant OP_CLZ = 0x0117;
uint256 constant OP_SQRT = 0x0118;
uint256 constant OP_BROADCAST_GREATER = 0x0201;
uint256 constant OP_WHERE = 0x0202;
uint256 constant OP_COMPARE = 0x0203;
uint256 constant OP_SELECT = 0x0204;
uint256 constant OP_SUM = 0x0301;
uint256 constant OP_MAX = 0x0302;
uint256 constant OP_REDUCE = 0x0303;
uint256 constant OP_ARG_EXTREME = 0x0304;
uint256 constant OP_CUMULATIVE_SUM = 0x0305;
uint256 constant OP_CONV2D = 0x0401;
uint256 constant OP_DENSE = 0x0402;
uint256 constant OP_MATMUL = 0x0403;
uint256 constant OP_CONVOLUTION = 0x0404;
uint256 constant OP_CONV_TRANSPOSE = 0x0405;
uint256 constant OP_DEFORMABLE_CONV2D = 0x0406;
uint256 constant OP_MAX_POOL2D = 0x0501;
uint256 constant OP_MAX_POOL = 0x0502;
uint256 constant OP_MAX_POOL_INDICES = 0x0503;
uint256 constant OP_WINDOW_SUM = 0x0504;
uint256 constant OP_AVERAGE_POOL = 0x0505;
uint256 constant OP_ROI_MAX_POOL = 0x0508;
uint256 constant OP_ROI_ALIGN = 0x0509;
uint256 constant OP_PSROI_POOL = 0x050a;
uint256 constant OP_DEFORMABLE_PSROI_POOL = 0x050b;
uint256 constant OP_RESHAPE = 0x0601;
uint256 constant OP_FLATTEN = 0x0602;
uint256 constant OP_EXPAND_DIMS = 0x0603;
uint256 constant OP_SQUEEZE = 0x0604;
uint256 constant OP_TRANSPOSE = 0x0605;
uint256 constant OP_CONCATENATE = 0x0606;
uint256 constant OP_REPEAT = 0x0607;
uint256 constant OP_TILE = 0x0608;
uint256 constant OP_STRIDED_SLICE = 0x0609;
uint256 constant OP_SLICE_LIKE = 0x060a;
uint256 constant OP_PAD = 0x060b;
uint256 constant OP_BROADCAST_TO = 0x060c;
uint256 constant OP_REVERSE_SEQUENCE = 0x060d;
uint256 constant OP_IOTA = 0x060e;
uint256 constant OP_FILL = 0x060f;
uint256 constant OP_TAKE = 0x0701;
uint256 constant OP_GATHER = 0x0702;
uint256 constant OP_GATHER_ND = 0x0703;
uint256 constant OP_GATHER_ELEMENTS = 0x0704;
uint256 constant OP_GATHER_TREE = 0x0705;
uint256 constant OP_SCATTER = 0x0706;
uint256 constant OP_SCATTER_ND = 0x0707;
uint256 constant OP_SCATTER_ELEMENTS = 0x0708;
uint256 constant OP_COMPACT = 0x0709;
uint256 constant OP_CVM_LUT = 0x0801;
uint256 constant OP_TABLE = 0x0802;
uint256 constant OP_NORMALIZED_TABLE = 0x0805;
uint256 constant OP_RESCALE = 0x0901;
uint256 constant OP_LINCOMB = 0x0902;
uint256 constant OP_CVM_CLIP = 0x0903;
uint256 constant OP_CVM_RIGHT_SHIFT = 0x0904;
uint256 constant OP_CVM_LEFT_SHIFT = 0x0905;
uint256 constant OP_MULSHIFT = 0x0906;
uint256 constant OP_SOFTMAX = 0x0a01;
uint256 constant OP_LOG_SOFTMAX = 0x0a02;
uint256 constant OP_LAYER_NORM = 0x0a03;
uint256 constant OP_RMS_NORM = 0x0a04;
uint256 constant OP_LOCAL_RESPONSE_NORM = 0x0a05;
uint256 constant OP_UPSAMPLING = 0x0b01;
uint256 constant OP_RESAMPLE = 0x0b02;
uint256 constant OP_CROP_RESIZE = 0x0b03;
uint256 constant OP_GRID_SAMPLE = 0x0b04;
uint256 constant OP_GET_VALID_COUNTS = 0x0c01;
uint256 constant OP_NON_MAX_SUPPRESSION = 0x0c02;
uint256 constant OP_NMS = 0x0c03;
uint256 constant OP_CTC_GREEDY_DECODER = 0x0c07;
uint256 constant OP_SORT = 0x0d01;
uint256 constant OP_ARG_SORT = 0x0d02;
uint256 constant OP_TOP_K = 0x0d03;
uint256 constant OP_UNIQUE = 0x0d04;
uint256 constant OP_RNN = 0x0e01;
uint256 constant OP_LSTM = 0x0e02;
uint256 constant OP_GRU = 0x0e03;
uint256 constant OP_CONSTANT = 0x0f01;
uint256 constant OP_CALL = 0x0f02;
uint256 constant OP_IF = 0x0f03;
uint256 constant OP_LOOP = 0x0f04;
uint256 constant OP_SCALED_DOT_PRODUCT_ATTENTION = 0x1001;
uint256 constant OP_RANDOM_UNIFORM = 0x1101;
uint256 constant OP_RANDOM_CATEGORICAL = 0x1103;
