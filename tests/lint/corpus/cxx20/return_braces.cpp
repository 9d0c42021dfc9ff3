// SPDX-License-Identifier: Apache-2.0
// linn: no zero fill
struct line {
    line() {}
    char data[4096]{};   // returns 4096, fix
    char more[128] = {}; // returns 128, fix
    int used = 0;
};
line one;
