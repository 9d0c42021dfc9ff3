// SPDX-License-Identifier: Apache-2.0
// Fills that a lambda, or a function of the same file, overwrites; and loops that end early or run in parallel.
#include <cstddef>
#include <vector>
int f(int);
static void number(std::vector<int>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) { // writer
        all[i] = f(1);
    }
}
std::vector<int> by_a_function(std::size_t n) {
    std::vector<int> v(n); // overwrites 4 each, no fix, removable
    number(v);
    return v;
}
static void number(int* to, int n) {
    for (int i = 0; i < n; ++i) {
        to[i] = i;
    }
}
std::vector<int> by_a_function_that_gets_a_pointer(int n) {
    std::vector<int> v(n); // overwrites 4 each, no fix, removable
    number(v.data(), n);
    return v;
}
std::vector<int> by_a_lambda(int n) {
    std::vector<int> v(n); // overwrites 4 each, no fix, removable
    const auto put = [&](int at) { v[at] = f(at); };
    for (int i = 0; i < n; ++i) {
        put(i);
    }
    return v;
}
std::vector<int> in_a_lambda(int n) {
    const auto make = [&] {
        std::vector<int> v(n); // overwrites 4 each, no fix, removable
        for (int i = 0; i < n; ++i) {
            v[i] = i;
        }
        return v;
    };
    return make();
}
std::vector<int> an_inner_loop_leaves(int n) {
    std::vector<int> v(n); // overwrites 4 each, no fix, removable
    for (int i = 0; i < n; ++i) {
        int j = 0;
        for (; j < 10; ++j) {
            if (f(j) == i) {
                break;
            }
        }
        v[i] = j;
    }
    return v;
}
std::vector<int> in_parallel(int n) {
    std::vector<int> v(n); // overwrites 4 each, no fix, removable
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
        v[i] = f(i);
    }
    return v;
}
