// SPDX-License-Identifier: Apache-2.0
#include "workload.hpp"

#include <cstdio>

namespace linn::bench {

void sampler::add(const char* cell, double value) noexcept {
    std::printf("sample\t%s\t%.17g\n", cell, value);
}

void sampler::note(const char* text) noexcept {
    std::printf("note\t%s\n", text);
}

} // namespace linn::bench
