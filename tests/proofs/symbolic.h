// Executes scalar primitives on unknown integers, so that z3 can prove them for every input.
//
//   Proof proof;
//   const Symbolic x = proof.Unknown("x", 64);
//   EXPECT_TRUE(proof.Holds([&] {
//     const z3::expr y = FloorShift<Symbolic>(x, 1).exact();
//     return 2 * y <= x.exact() && x.exact() < 2 * y + 2;
//   })) << proof.Counterexample();
//
// The primitive itself runs: a template over the integer sees a Symbolic, and where it branches on a
// comparison the proof takes one side, later the other, until every feasible path has been taken. On each
// path z3 must show that the claim follows from the assumptions and the branches taken, and that no step
// overflowed int64_t.
//
// Arithmetic is that of Z, where z3 decides sums, comparisons and divisions by constants; that every value
// stays inside int64_t is part of what is proven. A product of two unknowns, and a quotient by one, are
// opaque to it, but for what defines a quotient and for the lemma ProductsCompare, which is proven too; that
// is all that the theorems here need.
#pragma once

#include <z3++.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tally {

class Proof;

// An unknown int64_t, as a value of Z.
class Symbolic {
 public:
  Symbolic(int64_t value);  // NOLINT: as an integer literal converts
  Symbolic(Proof* proof, z3::expr exact) : proof_(proof), exact_(std::move(exact)) {}

  const z3::expr& exact() const { return exact_; }

  friend Symbolic operator+(const Symbolic& a, const Symbolic& b);
  friend Symbolic operator-(const Symbolic& a, const Symbolic& b);
  friend Symbolic operator*(const Symbolic& a, const Symbolic& b);
  friend Symbolic operator/(const Symbolic& a, const Symbolic& b);  // toward zero, as in C++
  friend Symbolic operator%(const Symbolic& a, const Symbolic& b);
  friend Symbolic operator>>(const Symbolic& a, int shift);  // arithmetic
  friend Symbolic operator-(const Symbolic& a) { return Symbolic(0) - a; }

  // A comparison is a branch of the program under proof.
  friend bool operator<(const Symbolic& a, const Symbolic& b);
  friend bool operator<=(const Symbolic& a, const Symbolic& b);
  friend bool operator==(const Symbolic& a, const Symbolic& b);
  friend bool operator>(const Symbolic& a, const Symbolic& b) { return b < a; }
  friend bool operator>=(const Symbolic& a, const Symbolic& b) { return b <= a; }

 private:
  std::pair<Symbolic, Symbolic> DividedBy(const Symbolic& b) const;

  // The result of an int64_t operation: records that it must not overflow.
  static Symbolic Computed(z3::expr exact);

  Proof* proof_;
  z3::expr exact_;
};

// One theorem at a time, on one thread.
class Proof {
 public:
  Proof();
  ~Proof();

  // Any value of a signed type of `bits` bits.
  Symbolic Unknown(const std::string& name, int bits);

  z3::expr Number(int64_t value);
  z3::expr PowerOfTwo(int exponent);

  // Restricts the inputs of the theorem.
  void Assume(const z3::expr& condition) { assumptions_.push_back(condition); }

  // A lemma of Z, of which z3 is told the instances that quotients need: for unit > 0, a * unit and b * unit
  // are as many units apart as a and b do, which is said one by one up to three.
  z3::expr ProductsCompare(const z3::expr& a, const z3::expr& b, const z3::expr& unit);

  // Whether `claim` holds on every path through it, and nothing in it overflows; otherwise Counterexample()
  // says for which inputs not. The program must take the same path for the same answers to its comparisons.
  bool Holds(const std::function<z3::expr()>& claim);
  const std::string& Counterexample() const { return counterexample_; }
  int paths() const { return paths_; }  // feasible paths of the last theorem

 private:
  friend class Symbolic;
  friend bool operator<(const Symbolic&, const Symbolic&);
  friend bool operator<=(const Symbolic&, const Symbolic&);
  friend bool operator==(const Symbolic&, const Symbolic&);
  bool Decide(const z3::expr& condition);
  bool Feasible(const z3::expr& condition);
  bool CheckPath(const z3::expr& claim);

  z3::solver SolverOfPath();

  z3::context context_;
  std::vector<z3::expr> assumptions_;
  std::vector<bool> decisions_;  // for the current path, a prefix fixed by the search
  size_t next_decision_ = 0;
  // Conditions that the current path has taken, and what defines its quotients.
  std::vector<z3::expr> branches_;
  std::vector<z3::expr> obligations_;                          // that no step overflows or divides by zero
  std::map<std::pair<unsigned, unsigned>, size_t> quotients_;  // by the dividend and the divisor
  std::vector<std::pair<z3::expr, z3::expr>> divided_;  // quotients and their divisors that are unknown
  std::string counterexample_;
  int paths_ = 0;
};

}  // namespace tally
