// SPDX-License-Identifier: Apache-2.0
// What a sample program knows of its own allocations: it counts them where it makes them, and writes the counts at its
// end to the file that LINN_SAMPLE_TRUTH names. No heap, so that only the sample's own allocations are there.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace sample {

/// One kind of allocation. A star in a name stands for what compilers spell in their own ways (lambdas).
class truth {
public:
    static void expect(const char* type, const char* container, std::size_t count) {
        for (std::size_t i = 0; i < used_; ++i) {
            if (std::strcmp(kinds_[i].type, type) == 0 && std::strcmp(kinds_[i].container, container) == 0) {
                kinds_[i].count += count;
                return;
            }
        }
        if (used_ == limit) {
            std::abort();
        }
        kinds_[used_++] = {type, container, count};
    }

    /// One line a kind: count, type, container, by tabulators.
    static int write() {
        const char* path = std::getenv("LINN_SAMPLE_TRUTH");
        if (path == nullptr) {
            return 0;
        }
        std::FILE* out = std::fopen(path, "w");
        if (out == nullptr) {
            return 1;
        }
        for (std::size_t i = 0; i < used_; ++i) {
            std::fprintf(out, "%zu\t%s\t%s\n", kinds_[i].count, kinds_[i].type, kinds_[i].container);
        }
        return std::fclose(out) == 0 ? 0 : 1;
    }

private:
    struct kind {
        const char* type;
        const char* container;
        std::size_t count;
    };

    static constexpr std::size_t limit = 64;
    static inline kind kinds_[limit];
    static inline std::size_t used_ = 0;
};

/// Counts the times that a container moved into a larger block, or a hash table got more buckets; `see` it after each insertion.
template <class Container>
class growth {
public:
    explicit growth(const Container& container) : capacity_(capacity_of(container)) {}
    void see(const Container& container) {
        count_ += capacity_of(container) != capacity_ ? 1U : 0U;
        capacity_ = capacity_of(container);
    }
    std::size_t count() const { return count_; }

private:
    static std::size_t capacity_of(const Container& container) {
        if constexpr (requires { container.bucket_count(); }) {
            return container.bucket_count();
        } else {
            return container.capacity();
        }
    }

    std::size_t capacity_;
    std::size_t count_ = 0;
};

/// Keeps a value from being optimised away.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

} // namespace sample
