// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_IMMORTAL_HPP
#define LINN_DETAIL_SYNC_IMMORTAL_HPP

#include <linn/config.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/race_checks.hpp>

#include <atomic>
#include <cstddef>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// An object that is made at its first use and never destroyed: what a local static variable would be, but for the guard. A
/// thread that makes such a variable may not exist in the child of a fork, where the guard then says "in progress" for ever.
/// A fork waits for the lock here.
///
/// @tparam T its default constructor throws nothing, and waits for nothing
template <class T>
class immortal {
public:
    constexpr explicit immortal(module_record& where) noexcept : part_{where, this, &on_event} {}
    immortal(const immortal&) = delete;
    immortal& operator=(const immortal&) = delete;

    T* get() noexcept {
        T* made = read_published(made_);
        return made != nullptr ? made : make();
    }

private:
    [[LINN_DETAIL_NOINLINE]] T* make() noexcept {
        lock_guard<mutex> guard{lock_};
        T* made = made_.load(std::memory_order_relaxed);
        if (made == nullptr) {
            made = ::new (static_cast<void*>(place_)) T;
            publish(made_, made);
        }
        return made;
    }

    static void on_event(void* self, module_event e) noexcept {
        module_record::on_fork(static_cast<immortal*>(self)->lock_, e);
    }

    std::atomic<T*> made_{nullptr};
    module_part part_;
    mutex lock_{part_};
    alignas(T) std::byte place_[sizeof(T)]{};
};

} // namespace linn::inline LINN_ABI::detail

#endif
