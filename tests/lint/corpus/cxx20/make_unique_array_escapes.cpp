// SPDX-License-Identifier: Apache-2.0
// A caller may rely on the zeros: no fix unless asked for.
#include <memory>
std::unique_ptr<char[]> make(std::size_t n) {
    return std::make_unique<char[]>(n); // finds 1 each, note
}
