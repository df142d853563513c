// The view that a reference has: operands and results of any integer type.
//
//   template <typename Int>
//   void ReferenceRelu(const ReferenceContext<Int>& c) {
//     for (const int64_t i : c.elements()) c.results[0].Set(i, std::max(Int(0), c.operands[0][i]));
//   }
//   TALLY_REFERENCE(Relu);
//
// A reference is the definition of its operator: scalar, in the obvious order, with the index names of the
// formula. The same source is the formal engine over cpp_int (arithmetic in Z), the reference engine over
// int64_t, and the trapping engine over TrappingInt that the tests use as a witness of the validator's proof.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "base/copy_elements.h"
#include "base/tensor.h"
#include "base/trapping_int.h"
#include "ops/attributes.h"
#include "ops/tensor_type.h"

namespace tally {

using FormalInt = boost::multiprecision::cpp_int;

// Where a referee has the elements of an operand, of which it may lack some (vm/referee.h).
template <typename Int>
class ElementSource {
 public:
  virtual ~ElementSource() = default;

  // Throws where the element is not there.
  virtual Int Read(int64_t element) const = 0;
};

// The int64_t of the reference engine has all elements of all operands, and computes all of all results: its
// loops, by which gas is priced, know nothing of referees.
template <typename Int>
inline constexpr bool kMayJudge = !std::is_same_v<Int, int64_t>;

// An operand: packed bytes in some storage; or (formal engine only) objects of Int; or (referees only) a
// source.
template <typename Int>
class Operand {
 public:
  Operand(const TensorType& type, Storage storage, const uint8_t* bytes, const Int* objects)
      : type_(&type), storage_(storage), bytes_(bytes), objects_(objects) {}
  Operand(const TensorType& type, const ElementSource<Int>& source)
      : type_(&type), storage_(type.storage()), bytes_(nullptr), objects_(nullptr), source_(&source) {}

  Int operator[](int64_t i) const {
    if constexpr (kMayJudge<Int>) {
      if (source_ != nullptr) return source_->Read(i);
    }
    if constexpr (std::is_same_v<Int, FormalInt>) {
      if (objects_ != nullptr) return objects_[i];
    }
    return Int(LoadElement(storage_, bytes_, i));
  }
  const Shape& shape() const { return type_->shape; }
  const Interval& interval() const { return type_->interval; }
  int64_t size() const { return type_->shape.num_elements(); }

  // All elements, into bytes of `storage`, which holds them.
  void CopyTo(Storage storage, uint8_t* bytes) const {
    if (objects_ == nullptr) return CopyElements(storage_, bytes_, storage, bytes, size());
    for (int64_t i = 0; i < size(); ++i) StoreElement(storage, bytes, i, static_cast<int64_t>(objects_[i]));
  }

  // The elements from `first` on as a value of `type`, whose interval holds them.
  Operand Slice(const TensorType& type, int64_t first) const {
    return {type, storage_, bytes_ == nullptr ? nullptr : bytes_ + first * SizeBytes(storage_),
            objects_ == nullptr ? nullptr : objects_ + first};
  }

 private:
  const TensorType* type_;
  Storage storage_;
  const uint8_t* bytes_;
  const Int* objects_;
  const ElementSource<Int>* source_ = nullptr;
};

// One element of one result, which a referee asks for.
struct WantedElement {
  int result = 0;
  int64_t element = 0;
};

// The numbers from `first` to before `end`, for loops. clang 14 does not compile std::views::iota.
class NumberRange {
 public:
  class Iterator {
   public:
    explicit constexpr Iterator(int64_t at) : at_(at) {}
    constexpr int64_t operator*() const { return at_; }
    constexpr Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

   private:
    int64_t at_;
  };

  constexpr NumberRange(int64_t first, int64_t end) : first_(first), end_(end) {}
  constexpr Iterator begin() const { return Iterator(first_); }
  constexpr Iterator end() const { return Iterator(end_); }
  constexpr int64_t front() const { return first_; }

 private:
  int64_t first_, end_;
};

// The interface that a control operator has of the engine that runs it (ops/function_caller.h).
template <typename Int>
class FunctionCaller;

template <typename Int>
class Result {
 public:
  Result(const TensorType& type, uint8_t* bytes, Int* objects)
      : type_(&type), storage_(type.storage()), bytes_(bytes), objects_(objects) {}
  // Keeps element `only` in `object`, and drops all others; all of them where `only` is no element.
  Result(const TensorType& type, int64_t only, Int* object)
      : type_(&type), storage_(type.storage()), bytes_(nullptr), objects_(object), only_(only) {}

  // Every element is set exactly once, at its end: the trapping engine checks each value against the
  // interval.
  void Set(int64_t i, const Int& value) const {
    if constexpr (kMayJudge<Int>) {
      if (only_ != kAll) {
        if (i == only_) *objects_ = value;
        return;
      }
    }
    if constexpr (std::is_same_v<Int, FormalInt>) {
      objects_[i] = value;
    } else {
      const int64_t v = static_cast<int64_t>(value);
      if constexpr (std::is_same_v<Int, TrappingInt>) {
        if (!type_->interval.Contains(v)) throw std::overflow_error("result outside its proven interval");
      }
      StoreElement(storage_, bytes_, i, v);
    }
  }
  // All elements, those of `value`.
  void SetAll(const Operand<Int>& value) const {
    if constexpr (std::is_same_v<Int, int64_t>) {
      value.CopyTo(storage_, bytes_);
    } else {
      for (int64_t i = 0; i < size(); ++i) Set(i, value[i]);
    }
  }
  const Shape& shape() const { return type_->shape; }
  const Interval& interval() const { return type_->interval; }
  int64_t size() const { return type_->shape.num_elements(); }

  // The result as an operand, once it is set.
  Operand<Int> AsOperand() const { return {*type_, storage_, bytes_, objects_}; }

  // The elements from `first` on as a result of `type`, which has the same interval.
  Result Slice(const TensorType& type, int64_t first) const {
    return {type, bytes_ == nullptr ? nullptr : bytes_ + first * SizeBytes(storage_),
            objects_ == nullptr ? nullptr : objects_ + first};
  }

 private:
  static constexpr int64_t kAll = -2;

  const TensorType* type_;
  Storage storage_;
  uint8_t* bytes_;
  Int* objects_;
  int64_t only_ = kAll;
};

template <typename Int>
struct ReferenceContext {
  const Attributes* attributes = nullptr;
  std::span<const Operand<Int>> operands;
  std::span<const Result<Int>> results;
  FunctionCaller<Int>* functions = nullptr;  // control operators only
  const WantedElement* wanted = nullptr;     // all elements, unless a referee asks for one

  // The numbers of the elements that are wanted of the first result, and of others of its shape.
  NumberRange elements() const { return Groups(results[0].size(), 1); }

  // The wanted of `count` groups of so many elements, one after the other.
  NumberRange Groups(int64_t count, int64_t elements) const {
    return GroupsBy(count, [elements](int64_t i) { return i / elements; });
  }

  // The same for groups of elements that are elsewhere: element i of a result is in group group_of(i).
  template <typename GroupOf>
  NumberRange GroupsBy(int64_t count, GroupOf group_of) const {
    if constexpr (kMayJudge<Int>) {
      if (wanted != nullptr) {
        const int64_t group = group_of(wanted->element);
        return {group, group + 1};
      }
    }
    return {0, count};
  }

  // Whether result r, or its element i, is wanted.
  bool Wants(int r) const {
    if constexpr (kMayJudge<Int>) return wanted == nullptr || wanted->result == r;
    return true;
  }
  bool Wants(int r, int64_t i) const {
    if constexpr (kMayJudge<Int>) {
      return wanted == nullptr || (wanted->result == r && wanted->element == i);
    }
    return true;
  }
  // Whether one of `count` elements of result r is wanted, from `first` on.
  bool WantsOf(int r, int64_t first, int64_t count) const {
    if constexpr (kMayJudge<Int>) {
      return wanted == nullptr ||
             (wanted->result == r && first <= wanted->element && wanted->element - first < count);
    }
    return true;
  }
  // The wanted of `count` elements of result r, from `first` on.
  NumberRange Part(int r, int64_t first, int64_t count) const {
    if constexpr (kMayJudge<Int>) {
      if (wanted != nullptr) {
        const bool wants = WantsOf(r, first, count);
        return {wants ? wanted->element : first, wants ? wanted->element + 1 : first};
      }
    }
    return {first, first + count};
  }
  // Whether it is all that is wanted: what comes after it need not be read.
  bool WantsOnly(int r, int64_t i) const { return kMayJudge<Int> && wanted != nullptr && Wants(r, i); }

  template <typename Attrs>
  Attrs attrs() const {
    return Unpack<Attrs>(*attributes);
  }
};

// Instantiates Reference<Name> for the three integers, at the end of its source file.
#define TALLY_REFERENCE(Name)                                                       \
  template void Reference##Name<int64_t>(const ReferenceContext<int64_t>&);         \
  template void Reference##Name<TrappingInt>(const ReferenceContext<TrappingInt>&); \
  template void Reference##Name<FormalInt>(const ReferenceContext<FormalInt>&)

}  // namespace tally
