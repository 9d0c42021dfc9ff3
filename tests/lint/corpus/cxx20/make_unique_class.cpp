// SPDX-License-Identifier: Apache-2.0
// bytes: packet 1500
#include <memory>
struct packet {
    unsigned char data[1500]; // member 1500
    unsigned size = 0;
};
auto make() {
    return std::make_unique<packet>(); // finds 1500, fix
}
