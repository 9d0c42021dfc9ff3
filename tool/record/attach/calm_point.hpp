// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "held_thread.hpp"
#include "process_memory.hpp"

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace linn::tool::attach {

/// Tells where a thread may be made to open a library. That takes the allocator's lock and the loader's, so the thread must hold
/// neither: it executes code that belongs to neither the C library nor the allocator, or waits in a function of the C library
/// that holds no lock.
class calm_points {
public:
    calm_points(const process_memory& memory, const std::vector<mapping>& mappings);
    calm_points(const calm_points&) = delete;
    calm_points& operator=(const calm_points&) = delete;
    ~calm_points();

    /// @pre the thread is held
    bool is_calm(const held_thread& thread);

    /// Whether its stack has room for what is called there.
    bool has_room(const user_regs_struct& registers) const;

private:
    bool is_runtime(const mapping* of) const;
    bool is_allocator(const mapping* of) const;
    bool waits_calmly(const held_thread& thread, const user_regs_struct& registers);
    /// The code addresses of the innermost calls, as far as they are in the C library, and the first outside.
    std::vector<std::uint64_t> way_out(pid_t tid, const user_regs_struct& registers);

    struct unwinder;
    const process_memory& memory_;
    const std::vector<mapping>& mappings_;
    std::set<std::string> allocators_; ///< ids of files that define malloc, but for the C library
    std::unique_ptr<mapped_symbols> c_library_;
    std::unique_ptr<unwinder> unwinder_;
};

} // namespace linn::tool::attach
