// SPDX-License-Identifier: Apache-2.0
// Boost's noinit forms of make_shared are for arrays only.
// bytes: line 128
#include <boost/make_shared.hpp>
struct line {
    char data[128]; // member 128
    int used = 0;
};
auto make() {
    return boost::make_shared<line>(); // finds 128, no fix
}
