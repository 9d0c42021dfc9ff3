// SPDX-License-Identifier: Apache-2.0
// Each call finds the state that the last one left, the first a zero.
#include <memory>
bool step(unsigned long* state);
void run(std::size_t n) {
    std::unique_ptr<unsigned long[]> states(new unsigned long[n]{});
    for (std::size_t i = 0; i < n; ++i) {
        while (step(&states[i])) {
        }
    }
}
