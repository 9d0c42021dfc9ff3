// SPDX-License-Identifier: Apache-2.0
// What the tool's statistics say of the cases on standard input, one a line, for statistics_reference.py:
//   wilcoxon V… | mann_whitney V… / V… | holm P… | bootstrap LEVEL SEED V…
#include "measure/statistics.hpp"

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main() {
    using namespace linn::tool;
    const auto rest = [](std::istringstream& words) {
        std::vector<double> values;
        for (double v = 0; words >> v;) {
            values.push_back(v);
        }
        words.clear();
        return values;
    };
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream words{line};
        std::string kind;
        words >> kind;
        if (kind == "wilcoxon") {
            std::printf("%.17g\n", wilcoxon_signed_rank(rest(words)));
        } else if (kind == "mann_whitney") {
            const std::vector<double> a = rest(words);
            std::string slash;
            words >> slash;
            std::printf("%.17g\n", mann_whitney(a, rest(words)));
        } else if (kind == "holm") {
            for (const double p : holm(rest(words))) {
                std::printf("%.17g ", p);
            }
            std::puts("");
        } else if (kind == "bootstrap") {
            double level = 0;
            std::uint64_t seed = 0;
            words >> level >> seed;
            const interval i = bootstrap_median(rest(words), level, seed);
            std::printf("%.17g %.17g %.17g\n", i.middle, i.low, i.high);
        } else {
            return 2;
        }
    }
    return 0;
}
