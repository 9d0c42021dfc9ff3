// SPDX-License-Identifier: Apache-2.0
// bytes: diamond 320
#include <memory>
struct top {
    long values[10]; // member 80
};
struct left : virtual top {
    long own[10]; // member 80
};
struct right : virtual top {
    long own[10]; // member 80
};
struct diamond : left, right {
    long mine[10]; // member 80
};
auto make() {
    return std::make_unique<diamond>(); // finds 320, note
}
