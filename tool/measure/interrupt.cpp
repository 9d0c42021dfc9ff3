// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <poll.h>

#include <atomic>
#include <cstddef>

namespace linn::tool {
namespace {

constexpr int watched[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> received{0}; // read by several threads, so no sig_atomic_t
const sigset_t* mask_outside = nullptr;
static_assert(decltype(received)::is_always_lock_free, "a signal handler writes it");

extern "C" void note_signal(int signal) {
    received = signal;
}

} // namespace

interrupt_guard::interrupt_guard() {
    received = 0;
    sigset_t block;
    sigemptyset(&block);
    for (const int signal : watched) {
        sigaddset(&block, signal);
    }
    ::sigprocmask(SIG_BLOCK, &block, &old_mask_);
    for (const int signal : watched) {
        sigdelset(&old_mask_, signal);
    }

    struct sigaction action{};
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i != 3; ++i) {
        ::sigaction(watched[i], nullptr, &old_actions_[i]);
        // Started with nohup or in the background of a script: what was ignored stays ignored, except SIGINT,
        // which an interactive Ctrl-C or a test sends on purpose.
        if (old_actions_[i].sa_handler != SIG_IGN || watched[i] == SIGINT) {
            ::sigaction(watched[i], &action, nullptr);
        }
    }
    mask_outside = &old_mask_;
}

interrupt_guard::~interrupt_guard() {
    mask_outside = nullptr;
    for (std::size_t i = 0; i != 3; ++i) {
        ::sigaction(watched[i], &old_actions_[i], nullptr);
    }
    ::sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
}

int interrupt_guard::pending() noexcept {
    return received;
}

int interrupt_guard::poll() const noexcept {
    const timespec at_once{};
    static_cast<void>(::ppoll(nullptr, 0, &at_once, &old_mask_));
    return received;
}

const sigset_t* interrupt_guard::outer_mask() noexcept {
    return mask_outside;
}

} // namespace linn::tool
