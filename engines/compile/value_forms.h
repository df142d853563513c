// Where the values of a function are while layouts are assigned: each in one or both layouts, converted once.
#pragma once

#include <optional>
#include <vector>

#include "engines/compile/compile_target.h"
#include "engines/compile/function_view.h"
#include "engines/compile/layouts.h"
#include "engines/compile/schedule.h"

namespace tally {

class ValueForms : public FunctionView {
 public:
  // Constants and parameters are there, row-major.
  ValueForms(const FunctionView& function, CompileTarget& target, Schedule& schedule);

  Schedule& schedule() { return schedule_; }

  // Whether the value is there in `layout` without a conversion.
  bool Has(ValueId id, Layout layout) const { return FormOf(forms_[id], layout).buffer >= 0; }
  // Whether it is there channels last and not row-major.
  bool IsChannelsLast(ValueId id) const {
    return HasChannels(type(id).shape) && Has(id, Layout::kChannelsLast) && !Has(id, Layout::kRowMajor);
  }
  // The value in a layout in which it is, row-major if it can be.
  const ValueRef& Any(ValueId id) const {
    return FormOf(forms_[id], Has(id, Layout::kRowMajor) ? Layout::kRowMajor : Layout::kChannelsLast);
  }
  // Value `id` in `layout`; converted, once, if it is not there yet.
  ValueRef Get(ValueId id, Layout layout);
  // The same for an observer: operations do not see what is converted for it.
  ValueRef Shown(ValueId id, Layout layout) {
    return Has(id, layout) ? FormOf(forms_[id], layout) : Converted(id, Any(id));
  }
  // A copy of `value` of `id` in the other layout: made by an operation for instruction `step`, or with the
  // plan if it is a constant.
  ValueRef Converted(ValueId id, const ValueRef& value);
  // Says where value `id` is, now that all operations which write it are there.
  void Set(ValueId id, const ValueRef& value);
  // Says where it will be, before they are.
  void Reserve(ValueId id, const ValueRef& value);

  ScheduledOp& Add(ScheduledOp op) { return schedule_.ops.emplace_back(std::move(op)); }

 private:
  struct Forms {
    ValueRef row_major, channels_last;
  };
  static const ValueRef& FormOf(const Forms& forms, Layout layout) {
    return layout == Layout::kRowMajor ? forms.row_major : forms.channels_last;
  }
  ValueRef& FormOf(ValueId id, Layout layout) {
    return layout == Layout::kRowMajor ? forms_[id].row_major : forms_[id].channels_last;
  }
  AlignedVector<uint8_t> ConvertedBytes(const ValueRef& value) const;

  CompileTarget& target_;
  Schedule& schedule_;
  std::vector<Forms> forms_;  // by value id
};

constexpr Layout OtherLayout(Layout layout) {
  return layout == Layout::kRowMajor ? Layout::kChannelsLast : Layout::kRowMajor;
}

}  // namespace tally
