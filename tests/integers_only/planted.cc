// Floating point of every kind that the check has to find. Nothing links it.
#include <cmath>
#include <cstdint>

namespace tally {

double Scaled(double x) { return x * 0.5; }
int64_t Truncated(float x) { return static_cast<int64_t>(x); }
long double Sum(long double a, long double b) { return a + b; }
double Power(double x, double y) { return std::pow(x, y); }

}  // namespace tally
