// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace linn::tool {

/// An entry of a list whose entries stand in files of their own. A file adds one by having it, `const
/// registered<scenario> here{...};`, and no other file names it: to add an entry is to add a file.
///
/// The files of a static library are linked only if somebody names them; CMake links these as objects (tool/CMakeLists.txt).
template <class T>
class registered {
public:
    explicit registered(T value) noexcept : value_{std::move(value)}, next_{first_} { first_ = this; }
    registered(const registered&) = delete;
    registered& operator=(const registered&) = delete;

    const T& value() const noexcept { return value_; }

    // A list without memory of its own, for programs that are measured. Its order is the linker's.
    const registered* next() const noexcept { return next_; }
    static const registered* first() noexcept { return first_; }

    /// Every value, in the order of its `place`. Complete when `main` begins.
    static std::vector<T> in_order() {
        std::vector<T> all;
        for (const registered* one = first_; one != nullptr; one = one->next_) {
            all.push_back(one->value_);
        }
        std::sort(all.begin(), all.end(), [](const T& a, const T& b) { return a.place < b.place; });
        return all;
    }

private:
    T value_;
    const registered* next_;
    static inline const registered* first_ = nullptr; // constant, so before any entry is made
};

} // namespace linn::tool
