// SPDX-License-Identifier: Apache-2.0
// Class templates with many instantiations; strings that grow and strings that do not;
// blocks of a library without symbols.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

extern "C" void* make_opaque();
extern "C" void free_opaque(void* block);

namespace lazy_kernel {

template <int Dimension>
struct point {
    double coordinates[std::size_t{Dimension % 4 + 1}];
};

template <class Approximate, class Exact, class... Arguments>
struct Lazy_rep_n {
    Approximate approximate{};
    Exact* exact = nullptr;
    virtual ~Lazy_rep_n() = default;
};

} // namespace lazy_kernel

namespace {

template <int Number>
[[gnu::noinline]] double make_lazy() {
    using rep = lazy_kernel::Lazy_rep_n<lazy_kernel::point<Number>, lazy_kernel::point<Number + 100>,
                                        int[std::size_t{Number + 1}]>;
    double sum = 0;
    for (int i = 0; i < 2000; ++i) {
        const std::unique_ptr<rep> one(new rep);
        asm volatile("" : : "r"(one.get()) : "memory");
        sum += one->approximate.coordinates[0];
    }
    return sum;
}

template <int... Numbers>
double make_all(std::integer_sequence<int, Numbers...>) {
    return (make_lazy<Numbers>() + ...);
}

/// Each string gets the only block of its life.
[[gnu::noinline]] std::size_t build_once() {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < 100000; ++i) {
        const std::string text(20 + i % 100, 'x');
        asm volatile("" : : "r"(&text) : "memory");
        sum += text.size();
    }
    return sum;
}

/// Each string gets four blocks, one after the other.
[[gnu::noinline]] std::size_t build_slowly() {
    std::size_t sum = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (int k = 0; k < 200; ++k) {
            text.push_back('x');
        }
        asm volatile("" : : "r"(&text) : "memory");
        sum += text.size();
    }
    return sum;
}

[[gnu::noinline]] void ask_library() {
    for (int i = 0; i < 100000; ++i) {
        free_opaque(make_opaque());
    }
}

} // namespace

int main(int count, char** arguments) {
    const char* const what = count > 1 ? arguments[1] : "";
    double result = 0;
    if (std::strcmp(what, "lazy") == 0) {
        result = make_all(std::make_integer_sequence<int, 53>());
    } else if (std::strcmp(what, "once") == 0) {
        result = static_cast<double>(build_once());
    } else if (std::strcmp(what, "slowly") == 0) {
        result = static_cast<double>(build_slowly());
    } else if (std::strcmp(what, "copies") == 0) {
        for (int i = 0; i < 100000; ++i) {
            std::free(::strdup("what the C library allocates"));
        }
    } else {
        ask_library();
    }
    std::printf("%g\n", result);
}
