// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace linn::tool::preload {

/// Which of a stack's next blocks are searched for a type's name. Reading one costs some system calls, so it is
/// done for the first blocks of a place in the code only, from any stack.
class probe_budget {
public:
    /// Blocks of a place, and of one stack of it.
    static constexpr std::uint8_t most_of_place = 8;
    static constexpr std::uint8_t most_of_stack = 4;

    /// A stack was seen for the first time.
    void add(std::uint32_t id, const std::uintptr_t* frames, unsigned count) noexcept {
        std::uint8_t& of_place = places_[place(frames, count)];
        const auto share = static_cast<std::uint8_t>(std::min(most_of_place - of_place, int{most_of_stack}));
        of_place = static_cast<std::uint8_t>(of_place + share);
        stacks_[id % size] = share;
    }
    /// Whether a block of this stack is searched. One load if not.
    bool wants(std::uint32_t id) const noexcept { return stacks_[id % size] != 0; }
    void spend(std::uint32_t id) noexcept {
        if (stacks_[id % size] != 0) {
            --stacks_[id % size];
        }
    }

    /// Another recording begins.
    void clear() noexcept {
        for (std::uint8_t& left : stacks_) {
            left = left != 0 ? 0 : left;
        }
        for (std::uint8_t& spent : places_) {
            spent = spent != 0 ? 0 : spent;
        }
    }

private:
    static constexpr std::size_t size = std::size_t{1} << 20;
    static constexpr std::size_t place_count = std::size_t{1} << 16;

    /// The two innermost frames: with one, all that passes through a wrapper of malloc would be one place.
    static std::size_t place(const std::uintptr_t* frames, unsigned count) noexcept {
        const std::uint64_t both = frames[0] * 0x9e37'79b9'7f4a'7c15u + (count > 1 ? frames[1] : 0);
        return both * 0x9e37'79b9'7f4a'7c15u >> 48;
    }

    std::uint8_t stacks_[size];
    std::uint8_t places_[place_count];
};

extern probe_budget probes;

/// Whether types are looked for: until the kernel forbids it.
extern bool reads_types;

/// The mangled name of the class of the object that begins at `block`, by its virtual table; the length, 0 if nothing
/// there looks like one. Never faults, even if the block is gone: everything is read by the kernel.
std::size_t read_type_name(std::uintptr_t block, char* name, std::size_t capacity) noexcept;

// What the trace says of a process and of its files.

struct thread_writer;

/// Tells of the files that new return addresses lie in, each once an image. False where there was no room.
bool tell_modules(thread_writer& writer, const std::uintptr_t* frames, unsigned count) noexcept;

/// Tells which of them are not mapped any more.
void tell_unloaded(thread_writer& writer) noexcept;

/// Another recording begins, in which nothing has been told.
void forget_modules() noexcept;

/// Tells what this process is.
bool tell_process(thread_writer& writer) noexcept;

} // namespace linn::tool::preload
