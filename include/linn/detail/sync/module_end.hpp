// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_MODULE_END_HPP
#define LINN_DETAIL_SYNC_MODULE_END_HPP

#include <linn/config.hpp>

#include <atomic>

#if defined(_WIN32)
#define LINN_DETAIL_HIDDEN // modules share nothing there
#else
#define LINN_DETAIL_HIDDEN [[gnu::visibility("hidden")]]
#endif

namespace linn::inline LINN_ABI::detail {

/// Whether the module that this code lies in, a program or a shared library, ends: `dlclose` unloads it, or the process
/// is past the destructors of static objects. Each module has its own, whatever it exports.
///
/// A thread must not ask to be called back at its exit then. glibc keeps a module as long as such a wish is open, but
/// once its static destructors run it is too late: the thread would call code that is gone.
LINN_DETAIL_HIDDEN inline constinit std::atomic<bool> module_is_ending{false};

/// Sets `module_is_ending`.
/// Destructor functions of a shared library run before the destructors of its static objects.
template <class Policy>
LINN_DETAIL_HIDDEN [[gnu::destructor]] void note_module_end() {
    module_is_ending.store(true, std::memory_order_relaxed);
}

/// @threads any thread
template <class Policy>
bool module_ends() noexcept {
    static_cast<void>(&note_module_end<Policy>); // to name it is enough
    return module_is_ending.load(std::memory_order_relaxed);
}

} // namespace linn::inline LINN_ABI::detail

#undef LINN_DETAIL_HIDDEN
#endif
