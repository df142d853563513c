// Which value of a function each buffer of its program holds, for checked runs. It is made when a run first asks, since most
// plans are never checked.
#pragma once

#include <map>

namespace tally {

// `Program`: of engine cpu or cuda.
template <typename Program>
class HeldIndex {
 public:
  using Held = typename decltype(Program::held)::value_type;

  // The entry of program.held that is in `buffer`, the last of several; null where there is none.
  template <typename BufferId>
  const Held* Find(const Program& program, BufferId buffer) {
    const auto [index, is_new] = by_program_.try_emplace(&program);
    if (is_new) {
      for (const Held& held : program.held) index->second[held.value.buffer] = &held;
    }
    const auto found = index->second.find(buffer);
    return found == index->second.end() ? nullptr : found->second;
  }

 private:
  std::map<const Program*, std::map<decltype(Held::value.buffer), const Held*>> by_program_;
};

}  // namespace tally
