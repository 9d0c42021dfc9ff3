// SPDX-License-Identifier: Apache-2.0
#include <boost/make_shared.hpp>

#include <cstring>
boost::shared_ptr<char[]> copy(const char* from, std::size_t n) {
    auto all = boost::make_shared<char[]>(n); // finds 1 each, fix
    std::memcpy(all.get(), from, n);
    return all;
}
