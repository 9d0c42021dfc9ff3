// SPDX-License-Identifier: Apache-2.0
// bytes: line 128
#include <boost/make_unique.hpp>
struct line {
    char data[128]; // member 128
    int used = 0;
};
auto make() {
    return boost::make_unique<line>(); // finds 128, fix
}
