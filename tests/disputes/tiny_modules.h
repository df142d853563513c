// Modules whose disputes can be gone through: an expansion, calls, several leaves, no entries.
#pragma once

namespace tally {

struct TinyModule {
  const char* name;
  const char* text;
  int lies;  // at once, that are tried
};

inline constexpr TinyModule kTinyModules[] = {
    {"Wide",
     "tally 1\nprofile core\n"
     "param %0 \"x\" [2, 3] in [-9, 9]\n%1 = constant i8 [2, 3] {1, 2, 3, -1, -2, -3}\n%2 = dense %0, %1\n"
     "%3 = relu %2\n%4 = sort %3 {axis = 1, descending = false}\nresult %3 \"y\"\nresult %4 \"z\"\n",
     2},
    {"Loop",
     "tally 1\nprofile core\n"
     "param %0 \"c\" [] in [0, 1]\nparam %1 \"x\" [2] in [0, 9]\n"
     "%2, %3 = loop %0, %1 {body = 1, trips = 3, states = 1, scanned = 0, condition = true}\n"
     "result %2 \"y\"\nresult %3 \"n\"\n"
     "function 1\nparam %0 [] in [0, 2]\nparam %1 [2] in [0, 9]\n"
     "%2 = clip %0 {a_min = 0, a_max = 1}\n%3 = clip %1 {a_min = 1, a_max = 9}\nresult %2\nresult %3\n",
     1},
    {"Branches",
     "tally 1\nprofile core\n"
     "param %0 \"x\" [2] in [-9, 9]\nparam %1 \"c\" [] in [0, 1]\n"
     "%2 = if %1, %0 {then_function = 1, else_function = 2}\nresult %2 \"y\"\n"
     "function 1\nparam %0 [2] in [-9, 9]\n%1 = elemwise_add %0, %0\nresult %1\n"
     "function 2\nparam %0 [2] in [-9, 9]\n%1 = negative %0\nresult %1\n",
     1},
    {"WithoutEntries",
     "tally 1\nprofile core\n"
     "param %0 \"x\" [2] in [-9, 9]\nresult %0 \"y\"\nresult %0 \"z\"\n",
     2},
    {"OfSeveralLeaves",
     "tally 1\nprofile core\n"
     "param %0 \"x\" [3, 1024] in [-9, 9]\n%1 = relu %0\nresult %1 \"y\"\n",
     1},
    {"OfAKernelOfOneInItsPadding",
     "tally 1\nprofile core\n"
     "param %0 \"x\" [1, 1, 1, 1] in [-9, 9]\n%1 = constant i8 [1, 1, 1, 1] {3}\n"
     "%2 = conv2d %0, %1 {padding = [1, 1], stride = [1, 1], dilation = [1, 1], groups = 1}\nresult %2 "
     "\"y\"\n",
     1},
};

}  // namespace tally
