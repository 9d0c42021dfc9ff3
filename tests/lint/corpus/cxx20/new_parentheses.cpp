// SPDX-License-Identifier: Apache-2.0
// bytes: record 1004
struct record {
    char text[1000]; // member 1000
    int kind;        // member 4
    int version = 2;
};
record* make() {
    return new record(); // finds 1004, fix
}
