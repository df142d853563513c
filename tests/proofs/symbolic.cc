#include "tests/proofs/symbolic.h"

#include <cstdlib>
#include <limits>

#include "base/testing/ran.h"

namespace tally {
namespace {

// Literals and operators need the proof that they belong to.
Proof* current = nullptr;

}  // namespace

Proof::Proof() {
  SayRan("proofs", "z3", kHere);
  if (current != nullptr) std::abort();  // one at a time
  current = this;
}

Proof::~Proof() { current = nullptr; }

z3::expr Proof::Number(int64_t value) { return context_.int_val(value); }

z3::expr Proof::PowerOfTwo(int exponent) {
  z3::expr power = Number(1);
  for (int i = 0; i < exponent; ++i) power = power * 2;
  return power.simplify();
}

Symbolic Proof::Unknown(const std::string& name, int bits) {
  const z3::expr value = context_.int_const(name.c_str());
  Assume(value >= -PowerOfTwo(bits - 1) && value < PowerOfTwo(bits - 1));
  return Symbolic(this, value);
}

z3::solver Proof::SolverOfPath() {
  z3::solver solver(context_, z3::solver::simple());
  for (const z3::expr& assumption : assumptions_) solver.add(assumption);
  for (const z3::expr& branch : branches_) solver.add(branch);
  return solver;
}

bool Proof::Feasible(const z3::expr& condition) {
  z3::solver solver = SolverOfPath();
  solver.add(condition);
  return solver.check() != z3::unsat;
}

z3::expr Proof::ProductsCompare(const z3::expr& a, const z3::expr& b, const z3::expr& unit) {
  constexpr int kNear = 3;
  z3::expr all = Number(1) == Number(1);
  for (int steps = -kNear; steps <= kNear; ++steps) {
    all = all && z3::implies(b - a == steps, b * unit == a * unit + steps * unit);
  }
  all = all && z3::implies(b - a > kNear, b * unit > a * unit + kNear * unit);
  all = all && z3::implies(b - a < -kNear, b * unit < a * unit - kNear * unit);
  return z3::implies(unit > 0, all);
}

// Follows the decisions of the search; after them, takes the true side first if it is feasible.
bool Proof::Decide(const z3::expr& condition) {
  if (next_decision_ == decisions_.size()) decisions_.push_back(Feasible(condition));
  const bool taken = decisions_[next_decision_++];
  branches_.push_back(taken ? condition : !condition);
  return taken;
}

bool Proof::CheckPath(const z3::expr& claim) {
  z3::solver solver = SolverOfPath();
  if (solver.check() == z3::unsat) return true;  // no input takes this path
  ++paths_;
  z3::expr all = claim;
  for (const z3::expr& obligation : obligations_) all = all && obligation;
  solver.add(!all);
  const z3::check_result result = solver.check();
  if (result == z3::unsat) return true;
  counterexample_ =
      result == z3::sat ? solver.get_model().to_string() : "z3 gave up: " + solver.reason_unknown();
  return false;
}

bool Proof::Holds(const std::function<z3::expr()>& claim) {
  decisions_.clear();
  counterexample_.clear();
  paths_ = 0;
  while (true) {
    next_decision_ = 0;
    branches_.clear();
    obligations_.clear();
    quotients_.clear();
    divided_.clear();
    if (!CheckPath(claim())) return false;
    // The next path: the last decision that was true becomes false.
    while (!decisions_.empty() && !decisions_.back()) decisions_.pop_back();
    if (decisions_.empty()) return true;
    decisions_.back() = false;
  }
}

Symbolic::Symbolic(int64_t value) : proof_(current), exact_(current->Number(value)) {}

Symbolic Symbolic::Computed(z3::expr exact) {
  Proof* proof = current;
  proof->obligations_.push_back(exact >= proof->Number(std::numeric_limits<int64_t>::min()) &&
                                exact <= proof->Number(std::numeric_limits<int64_t>::max()));
  return Symbolic(proof, std::move(exact));
}

Symbolic operator+(const Symbolic& a, const Symbolic& b) { return Symbolic::Computed(a.exact_ + b.exact_); }
Symbolic operator-(const Symbolic& a, const Symbolic& b) { return Symbolic::Computed(a.exact_ - b.exact_); }
Symbolic operator*(const Symbolic& a, const Symbolic& b) { return Symbolic::Computed(a.exact_ * b.exact_); }

// Remainders are named by what defines them: a = q * b + r, where r has the sign of a and is smaller than b.
Symbolic operator/(const Symbolic& a, const Symbolic& b) { return a.DividedBy(b).first; }
Symbolic operator%(const Symbolic& a, const Symbolic& b) { return a.DividedBy(b).second; }

std::pair<Symbolic, Symbolic> Symbolic::DividedBy(const Symbolic& b) const {
  const auto [known, is_new] =
      proof_->quotients_.try_emplace({exact_.id(), b.exact_.id()}, proof_->quotients_.size());
  const std::string index = std::to_string(known->second);
  const z3::expr q = proof_->context_.int_const(("quotient" + index).c_str());
  const z3::expr r = proof_->context_.int_const(("remainder" + index).c_str());
  if (is_new) {
    const z3::expr& d = b.exact_;
    proof_->obligations_.push_back(d != 0);
    proof_->branches_.push_back(exact_ == q * d + r && z3::implies(exact_ >= 0, r >= 0) &&
                                z3::implies(exact_ <= 0, r <= 0) &&
                                z3::ite(d > 0, r < d && r > -d, r < -d && r > d));
    // z3 has to know how the products of quotients by one unknown and its multiples compare.
    if (!d.is_numeral()) {
      for (const auto& [earlier, unit] : proof_->divided_) {
        proof_->branches_.push_back(proof_->ProductsCompare(earlier, q, unit));
      }
      proof_->divided_.emplace_back(q, d);
    }
  }
  return {Computed(q), Computed(r)};
}

Symbolic operator>>(const Symbolic& a, int shift) {
  return Symbolic::Computed(a.exact_ / a.proof_->PowerOfTwo(shift));  // z3 rounds down for a divisor above 0
}

bool operator<(const Symbolic& a, const Symbolic& b) { return a.proof_->Decide(a.exact_ < b.exact_); }
bool operator<=(const Symbolic& a, const Symbolic& b) { return a.proof_->Decide(a.exact_ <= b.exact_); }
bool operator==(const Symbolic& a, const Symbolic& b) { return a.proof_->Decide(a.exact_ == b.exact_); }

}  // namespace tally
