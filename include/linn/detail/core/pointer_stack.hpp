// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_POINTER_STACK_HPP
#define LINN_DETAIL_CORE_POINTER_STACK_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <cstring>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// A stack of pointers that moves many at once and never touches what they point to, in chunks that are
/// kept until the stack goes. The objects of a depot were last used by other processors: a list threaded
/// through them would cost a cache miss an object, under the depot's lock.
template <class T>
class pointer_stack {
public:
    constexpr pointer_stack() = default;
    pointer_stack(const pointer_stack&) = delete;
    pointer_stack& operator=(const pointer_stack&) = delete;
    ~pointer_stack() {
        while (top_ != nullptr && top_->above != nullptr) {
            top_ = top_->above;
        }
        while (top_ != nullptr) {
            chunk* below = top_->below;
            ::operator delete(static_cast<void*>(top_));
            top_ = below;
        }
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Makes room for `n` pointers in all: pushing up to that needs no memory. @returns false when there is none
    [[nodiscard]] bool reserve(std::size_t n) noexcept {
        while (places_ < n) {
            if (!add_chunk()) {
                return false;
            }
        }
        return true;
    }

    /// Puts `n` pointers on top, the last one topmost. @returns how many of the first there was memory for
    std::size_t push(T* const* from, std::size_t n) noexcept {
        std::size_t done = 0;
        while (done != n && (has_room() || advance())) {
            const std::size_t room = chunk_slots - used_;
            const std::size_t some = n - done < room ? n - done : room;
            std::memcpy(top_->entries + used_, from + done, some * sizeof(T*));
            used_ += some;
            done += some;
        }
        size_ += done;
        return done;
    }

    /// Calls `visit(T*)` for each, from the top down.
    template <class Visit>
    void for_each(Visit&& visit) const {
        std::size_t n = used_;
        for (const chunk* c = top_; c != nullptr; c = c->below, n = chunk_slots) {
            while (n != 0) {
                visit(c->entries[--n]);
            }
        }
    }

    /// Takes the `n` topmost into `to`, in the order in which they were put. @pre `n <= size()`
    void pop(T** to, std::size_t n) noexcept {
        size_ -= n;
        while (n != 0) {
            if (used_ == 0) {
                top_ = top_->below;
                used_ = chunk_slots;
            }
            const std::size_t some = n < used_ ? n : used_;
            used_ -= some;
            n -= some;
            std::memcpy(to + n, top_->entries + used_, some * sizeof(T*));
        }
    }

private:
    static constexpr std::size_t chunk_slots = 62; // 512 bytes with the links
    struct chunk {
        chunk* below;
        chunk* above; ///< empty ones, kept
        T* entries[chunk_slots];
    };

    [[nodiscard]] bool has_room() const noexcept { return top_ != nullptr && used_ != chunk_slots; }

    /// Makes the chunk above the full one the top.
    bool advance() noexcept {
        const bool first = top_ == nullptr;
        if ((first || top_->above == nullptr) && !add_chunk()) {
            return false;
        }
        if (!first) {
            top_ = top_->above;
            used_ = 0;
        }
        return true;
    }

    bool add_chunk() noexcept {
        void* memory = ::operator new(sizeof(chunk), std::nothrow);
        if (memory == nullptr) {
            return false;
        }
        auto* next = ::new (memory) chunk;
        next->below = last_;
        next->above = nullptr;
        (last_ != nullptr ? last_->above : top_) = next;
        last_ = next;
        places_ += chunk_slots;
        return true;
    }

    chunk* top_ = nullptr;
    chunk* last_ = nullptr;
    std::size_t places_ = 0; ///< of all chunks
    std::size_t used_ = 0;   ///< of the top chunk; those below are full
    std::size_t size_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
