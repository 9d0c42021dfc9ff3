// SPDX-License-Identifier: Apache-2.0
// bytes: table 804
#include <memory>
struct table {
    double values[100]; // member 800
    int used = 0;
};
struct owner {
    owner() : first(std::make_unique<table>()) {} // finds 804, fix
    std::unique_ptr<table> first;
    std::unique_ptr<table> second = std::make_unique<table>(); // finds 804, fix
};
owner one;
