// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_CREW_HPP
#define LINN_TESTS_FUZZ_CREW_HPP

#include "input.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <semaphore>
#include <thread>

namespace linn_fuzz {

/// Threads that work one at a time, when they are told: what happens depends on the input and on nothing else.
class crew {
public:
    static constexpr std::size_t most = 3;

    crew() = default;
    crew(const crew&) = delete;
    crew& operator=(const crew&) = delete;
    ~crew() {
        for (std::size_t i = 0; i != most; ++i) {
            dismiss(i);
        }
    }

    /// Runs `work` on thread `i`, which is started if it does not run, and waits for it.
    void run(std::size_t i, const std::function<void()>& work) {
        std::unique_ptr<member>& m = members_[i % most];
        if (m == nullptr) {
            m = std::make_unique<member>();
        }
        m->work = &work;
        m->begin.release();
        m->done.acquire();
    }

    /// Ends thread `i`, if it runs.
    void dismiss(std::size_t i) { members_[i % most].reset(); }

    bool at_work = false; ///< one of them is

private:
    struct member {
        const std::function<void()>* work = nullptr;
        std::binary_semaphore begin{0};
        std::binary_semaphore done{0};
        std::thread thread{[this] {
            for (;;) {
                begin.acquire();
                if (work == nullptr) {
                    return;
                }
                (*work)();
                done.release();
            }
        }};

        member() = default;
        member(const member&) = delete;
        member& operator=(const member&) = delete;
        ~member() {
            work = nullptr;
            begin.release();
            thread.join();
        }
    };

    std::array<std::unique_ptr<member>, most> members_;
};

/// The next operations on another thread. `State` has `threads`, and a function one() that performs an operation.
template <class State>
void elsewhere(State& s, input& in) {
    const std::size_t thread = in.below(crew::most);
    const std::size_t count = in.between(1, 32);
    if (s.threads.at_work) {
        return;
    }
    s.threads.at_work = true;
    s.threads.run(thread, [&] {
        for (std::size_t n = count; n != 0 && !in.empty(); --n) {
            one(s, in);
        }
    });
    s.threads.at_work = false;
}

template <class State>
void end_thread(State& s, input& in) {
    const std::size_t thread = in.below(crew::most);
    if (!s.threads.at_work) {
        s.threads.dismiss(thread);
    }
}

} // namespace linn_fuzz

#endif
