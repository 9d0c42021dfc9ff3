// SPDX-License-Identifier: Apache-2.0
struct line {
    char data[4096]; // member 4096
    int used = 0;
};
line* make() {
    return new line(); // finds 4096, fix
}
