// SPDX-License-Identifier: Apache-2.0
// Boost's noinit forms of make_shared are for arrays only.
#include <boost/make_shared.hpp>
#include <boost/make_unique.hpp>

#include <cstring>
struct line {
    char data[128]; // member 128
    int used = 0;
};
auto shared() {
    return boost::make_shared<line>(); // finds 128, no fix
}
auto unique() {
    return boost::make_unique<line>(); // finds 128, fix
}
boost::shared_ptr<char[]> copy(const char* from, std::size_t n) {
    auto all = boost::make_shared<char[]>(n); // finds 1 each, fix
    std::memcpy(all.get(), from, n);
    return all;
}
auto a = boost::make_shared_noinit<char[]>(4096);
auto b = boost::make_unique_noinit<char[]>(4096);
