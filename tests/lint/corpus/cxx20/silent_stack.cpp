// SPDX-License-Identifier: Apache-2.0
// Not on the heap: what compilers warn about and optimise.
struct line {
    char data[4096];
};
int use() {
    line one{};
    line two = line();
    return one.data[0] + two.data[0];
}
