// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool::attach {

/// The memory of another process, as far as it may be read and written.
class process_memory {
public:
    explicit process_memory(pid_t pid) noexcept : pid_(pid) {}

    bool read(std::uint64_t from, void* to, std::size_t bytes) const noexcept;
    bool write(std::uint64_t to, const void* from, std::size_t bytes) const noexcept;

    template <class T>
    std::optional<T> get(std::uint64_t from) const {
        T value{};
        return read(from, &value, sizeof value) ? std::optional{value} : std::nullopt;
    }

    pid_t pid() const noexcept { return pid_; }

private:
    pid_t pid_;
};

/// A line of /proc/PID/maps.
struct mapping {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t offset = 0;
    bool is_code = false;
    std::string file_id; ///< device and inode
    std::string path;    ///< as the kernel names it: also [stack], and "… (deleted)"
};

/// What is mapped into a process, in the order of addresses; empty where it cannot be read.
std::vector<mapping> read_mappings(pid_t pid);

/// The mapping that holds an address; null where there is none.
const mapping* mapping_at(const std::vector<mapping>& all, std::uint64_t address);

/// "libc.so.6" of "/lib/libc.so.6 (deleted)".
std::string file_name(const mapping& of);

/// The functions and objects that a mapped file offers to others, read from the process: its file may have been replaced.
class mapped_symbols {
public:
    /// `begin`: where the file's first bytes are mapped.
    mapped_symbols(const process_memory& memory, std::uint64_t begin);

    /// The address of the symbol of this name in the file; 0 if there is none.
    std::uint64_t find(const std::string& name) const;
    /// The names of the function that holds an address; more than one if it has several.
    std::vector<std::string> covering(std::uint64_t address) const;

private:
    struct symbol {
        std::uint64_t address;
        std::uint64_t bytes;
        std::uint32_t name;
    };
    bool load(const process_memory& memory, std::uint64_t begin);
    const char* name_of(const symbol& s) const { return names_.data() + s.name; }

    std::vector<symbol> symbols_;
    std::vector<char> names_; ///< ends with a zero
};

} // namespace linn::tool::attach
