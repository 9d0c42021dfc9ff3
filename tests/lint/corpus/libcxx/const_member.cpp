// SPDX-License-Identifier: Apache-2.0
// new T would not compile.
struct named {
    const int id;   // member 4
    char data[256]; // member 256
};
named* make() {
    return new named{}; // finds 260, no fix
}
