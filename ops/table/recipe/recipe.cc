#include "ops/table/recipe/recipe.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "ops/labels.h"
#include "ops/table/recipe/evaluate.h"

namespace tally {
namespace {

using recipe::Asymptote;
using recipe::AsymptoteAt;
using recipe::Ball;
using recipe::DivideSmall;
using recipe::Dyadic;
using recipe::EnterDomain;
using recipe::Evaluate;
using recipe::Infinity;
using recipe::IsExactly;
using recipe::RationalValue;
using recipe::RoundHalfUp;

constexpr RecipeFunctionInfo kFunctions[] = {
#define TALLY_RECIPE_FUNCTION(code, Name, text, parameters, summary) {text, parameters, summary},
#include "ops/table/recipe/functions.inc"
#undef TALLY_RECIPE_FUNCTION
};

constexpr int64_t kMaxTerm = int64_t{1} << 31;  // multipliers, numerators and denominators are below
constexpr int64_t kMaxCode = int64_t{1} << 47;
constexpr int64_t kMaxShift = 62;
constexpr Int128 kMaxMantissa = Int128{1} << 62;

bool IsScale(const RecipeScale& scale) {
  return scale.multiplier >= 1 && scale.multiplier < kMaxTerm && scale.shift >= 0 && scale.shift <= kMaxShift;
}

bool IsCode(int64_t value) { return -kMaxCode <= value && value <= kMaxCode; }

bool IsParameter(const RecipeParameter& p, bool has_meaning) {
  if (!has_meaning) return p == RecipeParameter{};
  return p.denominator >= 1 && p.denominator < kMaxTerm && -kMaxTerm < p.numerator &&
         p.numerator < kMaxTerm && std::gcd(p.numerator, p.denominator) == 1;
}

// (index - zero_in) multiplier
Int128 Mantissa(const Recipe& recipe, int64_t index) {
  return (Int128{index} - recipe.zero_in) * recipe.in.multiplier;
}

// Decides the entries of one recipe, each on its own.
class Expansion {
 public:
  Expansion(const Recipe& recipe, int limbs)
      : recipe_(recipe),
        limbs_(limbs),
        low_(recipe.lo - recipe.zero_out),
        high_(recipe.hi - recipe.zero_out) {}

  // The entry for `index`, or nothing when the limbs do not decide it.
  std::optional<int64_t> Entry(int64_t index) {
    Dyadic x = {static_cast<int64_t>(Mantissa(recipe_, index)), recipe_.in.shift};
    switch (EnterDomain(recipe_, x)) {
      case Infinity::kMinus: return recipe_.lo;
      case Infinity::kPlus: return recipe_.hi;
      case Infinity::kNone: break;
    }
    const std::optional<int64_t> code = Code(x);
    if (!code) return std::nullopt;
    return *code + recipe_.zero_out;
  }

 private:
  std::optional<int64_t> Code(const Dyadic& x) {
    if (const std::optional<Asymptote> limit = AsymptoteAt(recipe_, x)) return CodeNear(*limit);
    boundary_tried_ = false;
    std::optional<int64_t> code;
    (code = Try<1>(x)) || (code = Try<2>(x)) || (code = Try<4>(x)) || (code = Try<8>(x));
    return code;
  }

  // One step of Ziv's loop: nothing when the enclosure of 64 N bits has a rounding boundary inside.
  template <int N>
  std::optional<int64_t> Try(const Dyadic& x) {
    if (N > limbs_) return std::nullopt;
    const Ball<N> value = Evaluate<N>(recipe_, x);
    if (!value.known()) return std::nullopt;
    const auto [least, greatest] = Codes(value);
    if (least == greatest) return least;
    if (greatest != least + 1 || boundary_tried_) return std::nullopt;
    boundary_tried_ = true;
    const Ball<8> boundary = LowerBoundary(greatest);
    if (const auto exact = RationalValue<8>(recipe_, x)) {
      return (exact->numerator - boundary * exact->denominator).negative ? least : greatest;
    }
    if (IsExactly(recipe_, x, boundary)) return greatest;
    return std::nullopt;
  }

  // The least and the greatest code that a number of the ball rounds to.
  template <int N>
  std::pair<int64_t, int64_t> Codes(const Ball<N>& value) const {
    const Ball<N> steps =
        DivideSmall(value.TimesPowerOfTwo(recipe_.out.shift), static_cast<uint64_t>(recipe_.out.multiplier));
    return {std::clamp(RoundHalfUp(steps, -1), low_, high_), std::clamp(RoundHalfUp(steps, 1), low_, high_)};
  }

  // The least real number that rounds to `code`: (2 code - 1) out / 2.
  Ball<8> LowerBoundary(int64_t code) const {
    return (Ball<8>::FromInt(2 * code - 1) * Ball<8>::FromInt(recipe_.out.multiplier))
        .TimesPowerOfTwo(-recipe_.out.shift - 1);
  }

  // A number next to a rational one rounds as that does, unless that is a boundary approached from below.
  int64_t CodeNear(const Asymptote& limit) const {
    const auto [p, q] = limit.value;
    auto [least, code] = Codes(p / q);
    if (least != code && (p - LowerBoundary(code) * q).negative) code = least;
    const bool leaves = limit.from_below && (p - LowerBoundary(code) * q).IsExactZero();
    return std::max(leaves ? code - 1 : code, low_);
  }

  const Recipe& recipe_;
  const int limbs_;
  const int64_t low_, high_;  // the clamp before the zero point is added
  bool boundary_tried_ = false;
};

// The tables of the last recipes: a module is validated, and again as engines lower it.
class KnownEntries {
 public:
  // Nothing where they are not known; a recipe has one entry at least.
  std::vector<int64_t> Find(const Recipe& recipe) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, entries] : tables_) {
      if (known == recipe) return entries;
    }
    return {};
  }

  void Keep(const Recipe& recipe, const std::vector<int64_t>& entries) {
    const std::lock_guard lock(mutex_);
    tables_.emplace_back(recipe, entries);
    for (count_ += entries.size(); count_ > kMostEntries || tables_.size() > kMostTables; tables_.pop_front())
      count_ -= tables_.front().second.size();
  }

 private:
  static constexpr size_t kMostEntries = size_t{1} << 18,
                          kMostTables = 64;  // 2 MiB, looked through one by one

  std::mutex mutex_;
  std::deque<std::pair<Recipe, std::vector<int64_t>>> tables_;
  size_t count_ = 0;
};

}  // namespace

std::span<const RecipeFunctionInfo> AllRecipeFunctions() { return kFunctions; }

const RecipeFunctionInfo& InfoOf(RecipeFunction function) {
  return kFunctions[static_cast<size_t>(function)];
}

std::optional<RecipeFunction> FindRecipeFunction(std::string_view name) {
  for (size_t i = 0; i < std::size(kFunctions); ++i) {
    if (kFunctions[i].name == name) return static_cast<RecipeFunction>(i);
  }
  return std::nullopt;
}

absl::Status CheckRecipe(const Recipe& r) {
  const auto refuse = [](std::string_view what) { return MakeError(label::recipe_fields, what); };
  if (static_cast<size_t>(r.function) >= std::size(kFunctions)) return refuse("no such function");
  const int parameters = InfoOf(r.function).parameters;
  if (!IsParameter(r.alpha, parameters >= 1) || !IsParameter(r.beta, parameters >= 2)) {
    return refuse(
        "a parameter is not a fraction in lowest terms of integers below 2^31, or not 0 without a meaning");
  }
  if (r.function == RecipeFunction::kCelu && r.alpha.numerator <= 0) return refuse("celu needs alpha > 0");
  if (!IsScale(r.in) || !IsScale(r.out)) return refuse("a scale is not m 2^-s, m in [1, 2^31), s in [0, 62]");
  if (!IsCode(r.zero_in) || !IsCode(r.zero_out) || !IsCode(r.first)) {
    return refuse("a zero point or the first index is beyond 2^47");
  }
  if (r.count < 1 || r.count > kMaxRecipeEntries) {
    return refuse(absl::StrCat(r.count, " entries, not in [1, ", kMaxRecipeEntries, "]"));
  }
  if (r.lo > r.hi || r.lo < -kMaxCode || r.hi >= kMaxCode)
    return refuse("the clamp is empty or leaves 48 bits");
  for (const int64_t index : {r.first, r.first + r.count - 1}) {
    const Int128 mantissa = Mantissa(r, index);
    if (mantissa <= -kMaxMantissa || mantissa >= kMaxMantissa) {
      return refuse("(index - zero_in) times the multiplier leaves 62 bits");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<int64_t>> Expand(const Recipe& recipe) {
  static KnownEntries known;
  if (auto entries = known.Find(recipe); !entries.empty()) return entries;
  auto entries = ExpandWithLimbs(recipe, 8);
  if (entries.ok()) known.Keep(recipe, *entries);
  return entries;
}

absl::StatusOr<Tensor> ExpandToTensor(const Recipe& recipe, const Shape& shape) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> entries, Expand(recipe));
  return Tensor::FromValues(shape, entries);
}

absl::StatusOr<std::vector<int64_t>> ExpandWithLimbs(const Recipe& recipe, int limbs) {
  RETURN_IF_ERROR(CheckRecipe(recipe));
  Expansion expansion(recipe, limbs);
  std::vector<int64_t> entries;
  entries.reserve(static_cast<size_t>(recipe.count));
  for (int64_t i = 0; i < recipe.count; ++i) {
    const std::optional<int64_t> entry = expansion.Entry(recipe.first + i);
    if (!entry) {
      return MakeError(label::recipe_undecided,
                       absl::StrCat("entry ", i, " of ", ToAbsl(InfoOf(recipe.function).name),
                                    " is not decided by ", 64 * limbs, " bits"));
    }
    entries.push_back(*entry);
  }
  return entries;
}

}  // namespace tally
