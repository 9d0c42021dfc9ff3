// SPDX-License-Identifier: Apache-2.0
#include <boost/make_shared.hpp>
#include <boost/make_unique.hpp>
auto a = boost::make_shared_noinit<char[]>(4096);
auto b = boost::make_unique_noinit<char[]>(4096);
