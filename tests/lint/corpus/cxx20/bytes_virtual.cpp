// SPDX-License-Identifier: Apache-2.0
// The pointer to the virtual table is written anyway.
// bytes: shape 4096
#include <memory>
struct shape {
    virtual ~shape() = default;
    char data[4096]; // member 4096
};
auto make() {
    return std::make_unique<shape>(); // finds 4096, note
}
