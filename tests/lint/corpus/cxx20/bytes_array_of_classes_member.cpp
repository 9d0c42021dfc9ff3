// SPDX-License-Identifier: Apache-2.0
// bytes: book 6400
#include <memory>
struct row {
    char text[64];
    int number = 0;
};
struct book {
    row rows[100]; // member 6400
};
auto make() {
    return std::make_unique<book>(); // finds 6400, note
}
