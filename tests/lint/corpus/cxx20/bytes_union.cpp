// SPDX-License-Identifier: Apache-2.0
// bytes: value 4096
#include <memory>
union value {
    int number;
    char text[4096];
};
auto make() {
    return std::make_unique<value>(); // finds 4096, note
}
