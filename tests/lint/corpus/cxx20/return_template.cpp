// SPDX-License-Identifier: Apache-2.0
template <int N>
struct line {
    line() {} // returns 9000, fix
    char data[N];
    int used = 0;
};
line<100> small;
line<5000> medium;
line<9000> large;
