// SPDX-License-Identifier: Apache-2.0
#include <memory>
struct zeros {
    char data[256]; // member 256
};
const zeros* make() {
    return new const zeros(); // finds 256, no fix
}
