// SPDX-License-Identifier: Apache-2.0
struct [[clang::annotate("linn::no_zero_fill")]] line {
    line() = default; // returns 4096, fix
    char data[4096];
    int used = 0;
};
line one;
