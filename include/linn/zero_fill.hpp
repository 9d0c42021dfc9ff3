// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_ZERO_FILL_HPP
#define LINN_ZERO_FILL_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>
#include <linn/types/value_initialization.hpp>

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

/// @file
/// Finds memory that is filled with zeros for nothing.
///
/// - `value_initialization_fills<T>`: at compile time, whether `T()` fills what T leaves alone.
/// - `value_initialization_fill<T>()`: how many bytes, exactly. A test can assert on it:
///   `CHECK(linn::value_initialization_fill<packet>() == 0)`.

namespace linn::inline LINN_ABI {

namespace detail {

/// The compiler must assume that everything at `p` was read and written. Without it, it drops stores to
/// memory in which an object is about to begin.
[[LINN_DETAIL_ALWAYS_INLINE]] inline void touch_all(void* p) noexcept {
    LINN_DETAIL_TOUCH_ALL(p);
}

/// Two values, so that a byte that happens to be written with one of them is noticed by the other.
inline constexpr unsigned char fill_poisons[] = {0xA5, 0x5A};

/// Uninitialised memory, freed at the end of the scope.
class raw_memory {
public:
    /// @throws std::bad_alloc when there is no memory
    raw_memory(std::size_t bytes, std::size_t align)
        : align_{align},
          begin_{static_cast<unsigned char*>(::operator new(bytes, align_))} {}
    raw_memory(const raw_memory&) = delete;
    raw_memory& operator=(const raw_memory&) = delete;
    ~raw_memory() { ::operator delete(begin_, align_); }

    [[nodiscard]] unsigned char* begin() const noexcept { return begin_; }

private:
    std::align_val_t align_;
    unsigned char* begin_;
};

/// Poisons the memory, makes a T there with `start`, ors `bit` to the mark of each byte that was written,
/// destroys the T.
template <class T, class Start>
void mark_written(unsigned char* memory, unsigned char* marks, unsigned char bit, Start start) {
    for (const unsigned char poison : fill_poisons) {
        std::memset(memory, poison, sizeof(T));
        touch_all(memory);
        T* object = start(static_cast<void*>(memory));
        touch_all(memory);
        for (std::size_t i = 0; i != sizeof(T); ++i) {
            marks[i] = static_cast<unsigned char>(marks[i] | (memory[i] != poison ? bit : 0));
        }
        touch_all(memory);
        object->~T();
    }
}

template <class T>
std::size_t count_value_initialization_fill() {
    constexpr unsigned char by_default = 1;
    constexpr unsigned char by_value = 2;
    const raw_memory memory{sizeof(T), alignof(T)};
    const raw_memory marks{sizeof(T), 1};
    std::memset(marks.begin(), 0, sizeof(T));
    mark_written<T>(memory.begin(), marks.begin(), by_default, [](void* p) { return ::new (p) T; });
    mark_written<T>(memory.begin(), marks.begin(), by_value, [](void* p) { return ::new (p) T(); });
    std::size_t filled = 0;
    for (std::size_t i = 0; i != sizeof(T); ++i) {
        filled += marks.begin()[i] == by_value;
    }
    return filled;
}

} // namespace detail

/// The bytes that `T()` writes and `T` default-initialised does not: what `std::make_shared<T>()`,
/// `std::make_unique<T>()` and `new T()` fill with zeros although T's own constructors do not ask for it.
/// Padding counts. Of an array, all elements together. Bytes that are filled and then written by a
/// constructor do not count, though they cost time too.
///
/// It makes four objects on the heap, one after another, and looks which bytes changed.
/// @pre the constructor writes the same bytes each time
/// @complexity O(sizeof(T)), and the constructors
/// @threads any thread
/// @throws std::bad_alloc, and what the constructor of T throws
/// @snippet examples/12_zero_fill.cpp
template <class T>
    requires(std::is_default_constructible_v<std::remove_all_extents_t<T>>)
[[nodiscard]] std::size_t value_initialization_fill() {
    using element = std::remove_cv_t<std::remove_all_extents_t<T>>;
    return detail::count_value_initialization_fill<element>() * (sizeof(T) / sizeof(element));
}

} // namespace linn::inline LINN_ABI

#endif
#endif
