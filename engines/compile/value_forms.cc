#include "engines/compile/value_forms.h"

#include <algorithm>

namespace tally {

ValueForms::ValueForms(const FunctionView& function, CompileTarget& target, Schedule& schedule)
    : FunctionView(function), target_(target), schedule_(schedule), forms_(facts().types.size()) {
  for (ValueId id = 0; id < forms_.size(); ++id) {
    if (const TensorView* view = constant(id)) {
      // Copied where its address is no multiple of the element's size, as in a module decoded at an odd
      // address.
      const auto size = static_cast<uintptr_t>(SizeBytes(view->storage));
      const bool is_aligned = reinterpret_cast<uintptr_t>(view->bytes.data()) % size == 0;
      const BufferId buffer = is_aligned ? schedule.NewConstant(view->bytes)
                                         : schedule.KeepConstant({view->bytes.begin(), view->bytes.end()});
      Set(id, {buffer, type(id), view->storage, Layout::kRowMajor});
    } else if (id < facts().params.size()) {
      Set(id, schedule.NewValue(type(id), Layout::kRowMajor));
      schedule.params.push_back(forms_[id].row_major);
      schedule.buffers[forms_[id].row_major.buffer].is_param = true;
    }
  }
}

void ValueForms::Set(ValueId id, const ValueRef& value) {
  schedule_.held.push_back({schedule_.ops.size(), id, value});
  Reserve(id, value);
}

void ValueForms::Reserve(ValueId id, const ValueRef& value) {
  FormOf(id, value.layout) = value;
  if (!SameInBothLayouts(value.type.shape)) return;
  ValueRef& same = FormOf(id, OtherLayout(value.layout));
  same = value;
  same.layout = OtherLayout(value.layout);
}

ValueRef ValueForms::Get(ValueId id, Layout layout) {
  ValueRef& form = FormOf(id, layout);
  if (form.buffer < 0) form = Converted(id, FormOf(id, OtherLayout(layout)));
  return form;
}

ValueRef ValueForms::Converted(ValueId id, const ValueRef& value) {
  const Layout layout = OtherLayout(value.layout);
  if (schedule_.IsConstant(value.buffer) && target_.MayKeep(value.size_bytes())) {
    const ValueRef kept = {schedule_.KeepConstant(ConvertedBytes(value)), value.type, value.storage, layout};
    schedule_.held.push_back({schedule_.ops.size(), id, kept});
    return kept;
  }
  const ValueRef y = {schedule_.NewBuffer(value.size_bytes()), value.type, value.storage, layout};
  Add({.kind = ScheduledOpKind::kConvert,
       .reads = {id},
       .writes = {id},
       .layout = layout,
       .operands = {value},
       .results = {y}});
  schedule_.held.push_back({schedule_.ops.size(), id, y});
  return y;
}

AlignedVector<uint8_t> ValueForms::ConvertedBytes(const ValueRef& value) const {
  const Shape& shape = value.type.shape;
  const auto [root, offset] = schedule_.PlaceOf(value.buffer);
  const uint8_t* x = schedule_.buffers[root].constant.data() + offset;
  // Rows become columns in each element of the batch.
  const int64_t positions = shape.num_elements() / (shape[0] * shape[1]);
  const bool to_rows = value.layout == Layout::kChannelsLast;
  const int64_t rows = to_rows ? positions : shape[1], columns = to_rows ? shape[1] : positions;
  const int64_t size = SizeBytes(value.storage);
  AlignedVector<uint8_t> bytes(value.size_bytes());
  uint8_t* y = bytes.data();
  for (int64_t n = 0; n < shape[0]; ++n, x += rows * columns * size) {
    for (int64_t column = 0; column < columns; ++column) {
      for (int64_t row = 0; row < rows; ++row, y += size)
        std::copy_n(x + (row * columns + column) * size, size, y);
    }
  }
  return bytes;
}

}  // namespace tally
