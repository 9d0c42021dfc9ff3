// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_LATE_THREAD_EXIT_HPP
#define LINN_DETAIL_SYNC_LATE_THREAD_EXIT_HPP

#include <linn/config.hpp>
#include <linn/detail/sync/module.hpp>

#include <atomic>
#include <cstdint>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#elif defined(_WIN32)
#include <linn/detail/os/windows.hpp>
#endif

namespace linn::inline LINN_ABI::detail {

/// A key of thread-specific data, made at its first use. No thread ever waits for another one to make it.
class thread_key {
public:
    constexpr thread_key() = default;
    thread_key(const thread_key&) = delete;
    thread_key& operator=(const thread_key&) = delete;

    /// @param make, drop make a key and delete it; `make` returns -1 when there is none to be had
    template <class Make, class Drop>
    [[nodiscard]] bool get(std::uintptr_t& key, Make&& make, Drop&& drop) noexcept {
        std::uintptr_t found = state_.load(std::memory_order_relaxed);
        if (found == none) {
            const auto mine = static_cast<std::uintptr_t>(make() + 2); // of -1: gone
            if (state_.compare_exchange_strong(found, mine, std::memory_order_relaxed)) {
                found = mine;
            } else if (mine != gone) {
                drop(mine - 2);
            }
        }
        key = found - 2;
        return found != gone;
    }

    /// The key, if there is one by now.
    [[nodiscard]] bool made(std::uintptr_t& key) const noexcept {
        const std::uintptr_t found = state_.load(std::memory_order_relaxed);
        key = found - 2;
        return found > gone;
    }

    /// From now on there is none.
    template <class Drop>
    void end(Drop&& drop) noexcept {
        const std::uintptr_t found = state_.exchange(gone, std::memory_order_relaxed);
        if (found > gone) {
            drop(found - 2);
        }
    }

private:
    static constexpr std::uintptr_t none = 0;
    static constexpr std::uintptr_t gone = 1;

    std::atomic<std::uintptr_t> state_{none}; ///< or the key plus two
};

/// Runs `Run` late in a thread's exit, after the destructors of its `thread_local` objects where these
/// work, with what the thread armed it with. A variable of each module.
///
/// It exists for two cases: a thread whose first use of a pool is in a destructor of thread-specific
/// data, where `thread_local` destructors are over by then and a new one would never run; and
/// systems without `thread_locals_last`. The key goes when the module ends, so that no thread calls
/// into code that is gone.
template <void (*Run)(void*) noexcept>
class late_thread_exit {
public:
    constexpr explicit late_thread_exit(module_record& where) noexcept : part_{where, this, &on_event} {}
    late_thread_exit(const late_thread_exit&) = delete;
    late_thread_exit& operator=(const late_thread_exit&) = delete;

    /// Arms it for the calling thread. @pre `argument` is not null
    void arm([[maybe_unused]] const void* argument) noexcept {
        part_.join();
        [[maybe_unused]] std::uintptr_t key = 0;
#if defined(__unix__) || defined(__APPLE__)
        if (key_.get(key, &make, &drop)) {
            ::pthread_setspecific(static_cast<::pthread_key_t>(key), argument);
        }
#elif defined(_WIN32)
        std::uintptr_t over = 0;
        if (over_.get(
                over, [] { return as_key(::TlsAlloc()); }, [](std::uintptr_t k) { ::TlsFree(number(k)); }) &&
            key_.get(key, &make, &drop)) {
            ::FlsSetValue(number(key), const_cast<void*>(argument));
        }
#endif
    }

    /// What the calling thread armed it with, null if nothing.
    [[nodiscard]] void* argument() const noexcept {
        [[maybe_unused]] std::uintptr_t key = 0;
#if defined(__unix__) || defined(__APPLE__)
        return key_.made(key) ? ::pthread_getspecific(static_cast<::pthread_key_t>(key)) : nullptr;
#elif defined(_WIN32)
        return key_.made(key) ? ::FlsGetValue(number(key)) : nullptr;
#else
        return nullptr;
#endif
    }

    /// Whether it ran in the calling thread already, and would not again. Only told where thread_local variables cannot.
    [[nodiscard]] bool over() const noexcept {
#if defined(_WIN32)
        std::uintptr_t key = 0;
        return over_.made(key) && ::TlsGetValue(number(key)) != nullptr;
#else
        return false;
#endif
    }

private:
    static void on_event([[maybe_unused]] void* self, [[maybe_unused]] module_event e) noexcept {
#if defined(__unix__) || defined(__APPLE__)
        if (e == module_event::end) {
            static_cast<late_thread_exit*>(self)->key_.end(&drop);
        }
#elif defined(_WIN32)
        if (e == module_event::end) {
            gone_ = true; // FlsFree calls back for every thread, though none ends
            static_cast<late_thread_exit*>(self)->key_.end(&drop);
            over_.end([](std::uintptr_t k) { ::TlsFree(number(k)); });
        }
#endif
    }

#if defined(__unix__) || defined(__APPLE__)
    static std::intptr_t make() noexcept {
        ::pthread_key_t key{};
        return ::pthread_key_create(&key, Run) == 0 ? static_cast<std::intptr_t>(key) : -1;
    }
    static void drop(std::uintptr_t key) noexcept { ::pthread_key_delete(static_cast<::pthread_key_t>(key)); }

    thread_key key_;
#elif defined(_WIN32)
    static unsigned long number(std::uintptr_t key) noexcept { return static_cast<unsigned long>(key); }
    static std::intptr_t as_key(unsigned long n) noexcept {
        return n != 0xffffffffUL ? static_cast<std::intptr_t>(n) : -1;
    }
    static std::intptr_t make() noexcept { return as_key(::FlsAlloc(&call)); }
    static void drop(std::uintptr_t key) noexcept { ::FlsFree(number(key)); }

    static void __stdcall call(void* argument) {
        if (std::uintptr_t key = 0; !gone_ && argument != nullptr && over_.made(key)) {
            ::TlsSetValue(number(key), argument);
            Run(argument);
        }
    }
    static inline constinit bool gone_ = false;
    static inline constinit thread_key over_{}; ///< a slot that lasts as long as the thread
    thread_key key_;
#endif
    module_part part_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
