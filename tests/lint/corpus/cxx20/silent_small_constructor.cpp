// SPDX-License-Identifier: Apache-2.0
struct line {
    line() {}
    char data[1000];
    int used = 0;
};
struct complete {
    complete() {}
    char data[10000] = "x";
};
line one;
complete two;
