// SPDX-License-Identifier: Apache-2.0
// braces: record 1000
struct record {
    char text[1000]; // member 1000
    int version = 2;
};
record* make() {
    return new record{}; // finds 1000, fix
}
