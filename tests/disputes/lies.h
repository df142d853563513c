// All lies over small alphabets: one choice in each place.
//
//   const Lies lies(honest);
//   lies.ForEach(2, [&](const Liar& liar, const std::string& what) { ... });  // at most two at once
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/disputes/liar.h"
#include "tests/disputes/party_runs.h"

namespace tally {

class Lies {
 public:
  explicit Lies(const HonestRun& honest);

  // The liars that tell at most so many lies, none among them; and how many lies there are.
  void ForEach(int lies, const std::function<void(const Liar&, const std::string& what)>& show) const;
  size_t count() const;

  const Liar& honest() const { return honest_; }

 private:
  using Change = std::function<void(Liar&)>;
  // The lies in one place, each in another way.
  struct Place {
    std::string what;
    std::vector<Change> changes;
  };

  void AddEntries();
  void AddOrders();
  void AddResults();
  void AddExpansions();
  void AddOpenings();
  void From(size_t place, int lies, const std::vector<const Change*>& told, const std::string& what,
            const std::function<void(const Liar&, const std::string&)>& show) const;

  const HonestRun& run_;
  Liar honest_;
  std::vector<Place> places_;
};

}  // namespace tally
