// Attributes of the detection family.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

#include "ops/attributes.h"
#include "ops/tensor_type.h"

namespace tally {

struct GetValidCountsAttrs {
  int64_t score_threshold = 0;  // a row is valid when its score is greater

  static constexpr auto Fields() {
    using Limit = std::numeric_limits<int32_t>;
    return std::tuple(
        IntField("score_threshold", &GetValidCountsAttrs::score_threshold, Limit::min(), Limit::max()));
  }
};

struct NonMaxSuppressionAttrs {
  int64_t iou_threshold = 50;  // percent; an overlap of at least this much suppresses, above 100 nothing does
  int64_t max_output_size = -1;  // rows to emit in each batch; negative for all
  bool force_suppress = false;   // rows of different ids suppress each other too
  int64_t top_k = -1;            // best rows of each batch to consider; negative for all

  static constexpr auto Fields() {
    using Limit = std::numeric_limits<int32_t>;
    return std::tuple(
        IntField("iou_threshold", &NonMaxSuppressionAttrs::iou_threshold, 1, Limit::max()),
        IntField("max_output_size", &NonMaxSuppressionAttrs::max_output_size, Limit::min(), Limit::max()),
        BoolField("force_suppress", &NonMaxSuppressionAttrs::force_suppress),
        IntField("top_k", &NonMaxSuppressionAttrs::top_k, Limit::min(), Limit::max()));
  }
};

inline constexpr int64_t kNoNmsLimit = std::numeric_limits<int32_t>::max();

// The meaning of the four elements of a box.
enum class BoxEncoding {
  kCorners,         // any two opposite corners
  kOrderedCorners,  // the low corner, then the high one; a box that is not so covers nothing
  kCenter,          // the center, then the sides
};
inline constexpr std::array<std::string_view, 3> kBoxEncodingNames = {"corners", "ordered_corners", "center"};

// Which boxes are rivals.
enum class NmsClasses {
  kEach,          // every box stands in the list of every class
  kBest,          // every box stands in one common list
  kBestPerClass,  // every box stands in the list of its best class
};
inline constexpr std::array<std::string_view, 3> kNmsClassesNames = {"each", "best", "best_per_class"};

enum class NmsOrder { kClass, kScore };
inline constexpr std::array<std::string_view, 2> kNmsOrderNames = {"class", "score"};

// How the rows of several batches follow each other.
enum class NmsBatches {
  kApart,   // each batch has its own block of rows
  kPacked,  // one after the other
  kMerged,  // by score over all batches
};
inline constexpr std::array<std::string_view, 3> kNmsBatchesNames = {"apart", "packed", "merged"};

struct NmsAttrs {
  BoxEncoding encoding = BoxEncoding::kCorners;
  int64_t side_offset = 0;  // added to every side: a pixel where the high corner is the last pixel
  int64_t iou_numerator = 1;
  int64_t iou_denominator = 2;
  bool suppress_equal = false;  // the threshold itself suppresses too
  int64_t min_score = TensorLimit(Profile::kCore).lo;
  bool at_least_one = false;  // a batch without candidates yields its best box
  NmsClasses classes = NmsClasses::kEach;
  int64_t top_k = kNoNmsLimit;          // candidates of each list
  int64_t max_per_class = kNoNmsLimit;  // kept boxes of each list
  int64_t max_per_batch = kNoNmsLimit;  // kept boxes of all lists
  NmsOrder order = NmsOrder::kClass;
  NmsBatches batches = NmsBatches::kPacked;

  static constexpr auto Fields() {
    constexpr Interval kElement = TensorLimit(Profile::kCore);
    return std::tuple(EnumField("encoding", &NmsAttrs::encoding, kBoxEncodingNames),
                      IntField("side_offset", &NmsAttrs::side_offset, 0, kNoNmsLimit),
                      IntField("iou_numerator", &NmsAttrs::iou_numerator, 0, kNoNmsLimit),
                      IntField("iou_denominator", &NmsAttrs::iou_denominator, 1, kNoNmsLimit),
                      BoolField("suppress_equal", &NmsAttrs::suppress_equal),
                      IntField("min_score", &NmsAttrs::min_score, kElement.lo, kElement.hi),
                      BoolField("at_least_one", &NmsAttrs::at_least_one),
                      EnumField("classes", &NmsAttrs::classes, kNmsClassesNames),
                      IntField("top_k", &NmsAttrs::top_k, 1, kNoNmsLimit),
                      IntField("max_per_class", &NmsAttrs::max_per_class, 1, kNoNmsLimit),
                      IntField("max_per_batch", &NmsAttrs::max_per_batch, 1, kNoNmsLimit),
                      EnumField("order", &NmsAttrs::order, kNmsOrderNames),
                      EnumField("batches", &NmsAttrs::batches, kNmsBatchesNames));
  }
};

struct CtcGreedyDecoderAttrs {
  int64_t blank = 0;           // the class that is no symbol
  bool merge_repeated = true;  // a class that follows itself is one symbol

  static constexpr auto Fields() {
    return std::tuple(
        IntField("blank", &CtcGreedyDecoderAttrs::blank, 0, std::numeric_limits<int32_t>::max()),
        BoolField("merge_repeated", &CtcGreedyDecoderAttrs::merge_repeated));
  }
};

}  // namespace tally
