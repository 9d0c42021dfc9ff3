// SPDX-License-Identifier: Apache-2.0
#include <memory>
struct table {
    int values[64];
};
table zeros() {
    auto made = std::make_unique<table>();
    table copy = *made;
    return copy;
}
