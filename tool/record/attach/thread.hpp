// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace linn::tool::attach {

/// False where the other process's memory may not be read or written, or there is none.
bool read_memory(pid_t pid, std::uint64_t from, void* to, std::size_t bytes) noexcept;
bool write_memory(pid_t pid, std::uint64_t to, const void* from, std::size_t bytes) noexcept;
template <class T>
std::optional<T> read_memory(pid_t pid, std::uint64_t from) {
    T value{};
    return read_memory(pid, from, &value, sizeof value) ? std::optional{value} : std::nullopt;
}

/// Calls a function in the other process, and waits until it has returned. False if the thread has ended, or the function has not
/// returned in time.
using remote_call = std::function<bool(std::uint64_t function, std::uint64_t first, std::uint64_t second)>;

/// Stops one thread of a process after the other until one is fit for calls, and `use`, which makes them, returns true. It gets the
/// address of `text` in the process, which is the path of a library to open; without one, any thread will do. The thread then goes on
/// as if nothing had been. Returns 0, or why no thread did: ESRCH, EPERM, or after ten seconds ETIMEDOUT. On x86-64 only.
int borrow(pid_t pid, const std::string& text,
           const std::function<bool(const remote_call& call, std::uint64_t text)>& use);

} // namespace linn::tool::attach
