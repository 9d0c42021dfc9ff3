// SPDX-License-Identifier: Apache-2.0
struct line {
    // NOLINTNEXTLINE(modernize-use-equals-default): linn: no zero fill
    line() {}
    char data[10000];
    int used = 0;
};
struct other { // linn: no zero fill
    other() {}
    char data[10000];
};
struct third {
    third() {} // linn: no zero fill
    char data[10000];
};
line one;
