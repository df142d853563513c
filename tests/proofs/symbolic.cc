#include "tests/proofs/symbolic.h"

#include <cstdlib>
#include <limits>

namespace tally {
namespace {

// Literals and operators need the proof that they belong to.
Proof* current = nullptr;

}  // namespace

Proof::Proof(unsigned exact_bits) : exact_bits_(exact_bits) {
  if (current != nullptr) std::abort();  // one at a time
  current = this;
}

Proof::~Proof() { current = nullptr; }

z3::expr Proof::Number(int64_t value) { return context_.bv_val(value, exact_bits_); }

z3::expr Proof::PowerOfTwo(int exponent) { return z3::shl(Number(1), Number(exponent)).simplify(); }

Symbolic Proof::Unknown(const std::string& name, unsigned bits) {
  return Symbolic(this, z3::sext(context_.bv_const(name.c_str(), bits), exact_bits_ - bits));
}

z3::solver Proof::SolverOfPath() {
  z3::solver solver = z3::tactic(context_, "qfbv").mk_solver();
  for (const z3::expr& assumption : assumptions_) solver.add(assumption);
  for (const z3::expr& branch : branches_) solver.add(branch);
  return solver;
}

bool Proof::Feasible(const z3::expr& condition) {
  z3::solver solver = SolverOfPath();
  solver.add(condition);
  return solver.check() != z3::unsat;
}

// Follows the decisions of the search; behind them, takes the true side first if it is feasible.
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
  counterexample_ = result == z3::sat ? solver.get_model().to_string() : "z3 gave up: " + solver.reason_unknown();
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
Symbolic operator/(const Symbolic& a, const Symbolic& b) { return Symbolic::Computed(a.exact_ / b.exact_); }
Symbolic operator%(const Symbolic& a, const Symbolic& b) {
  return Symbolic::Computed(z3::srem(a.exact_, b.exact_));
}
Symbolic operator>>(const Symbolic& a, int shift) {
  return Symbolic::Computed(z3::ashr(a.exact_, a.proof_->Number(shift)));
}

bool operator<(const Symbolic& a, const Symbolic& b) { return a.proof_->Decide(a.exact_ < b.exact_); }
bool operator<=(const Symbolic& a, const Symbolic& b) { return a.proof_->Decide(a.exact_ <= b.exact_); }
bool operator==(const Symbolic& a, const Symbolic& b) { return a.proof_->Decide(a.exact_ == b.exact_); }

}  // namespace tally
