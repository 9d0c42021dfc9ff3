// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "decode.hpp"
#include "info.hpp"
#include "trace_file.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace linn::tool {

/// Turns ticks into nanoseconds since the recording began.
struct tick_scale {
    std::uint64_t start = 0;
    double ns_per_tick = 1;

    std::uint64_t ns(std::uint64_t ticks) const noexcept {
        return ticks > start ? static_cast<std::uint64_t>(static_cast<double>(ticks - start) * ns_per_tick)
                             : 0;
    }
};

/// One process image while a trace is read: what its chunks define, by its own numbers.
class trace_image {
public:
    /// The index of a stack in trace_info; 0 for one that nothing defines.
    std::uint32_t stack(std::uint32_t id) const {
        return id < known_.size() && known_[id] != unknown ? known_[id] : look_up(id);
    }

    std::uint32_t index = 0; ///< of trace_info::processes

private:
    friend class image_table;

    static constexpr std::uint32_t unknown = 0xffff'ffff;

    struct definition {
        std::uint64_t ticks = 0;
        std::vector<std::uint64_t> frames;
        std::uint32_t index = unknown;
    };
    struct loaded_module {
        std::uint32_t number = 0;
        std::uint32_t module = 0; ///< index
        std::uint64_t bias = 0;
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint64_t loaded_at = 0;
        std::uint64_t unloaded_at = ~std::uint64_t{0};
    };

    std::uint32_t look_up(std::uint32_t id) const;
    const loaded_module* find_module(std::uint64_t address, std::uint64_t ticks) const;

    bool is_told_ = false;                                    ///< by a record
    std::uint64_t began_ = ~std::uint64_t{0};                 ///< ticks
    std::uint32_t parent_image_ = 0;                          ///< by its number
    trace_process process_;                                   ///< what is known of it
    const trace_image* parent_ = nullptr;                     ///< that this was forked from
    std::map<std::uint32_t, definition> stacks_;              ///< by id
    std::vector<std::pair<std::uint32_t, std::string>> rtti_; ///< by stack id
    std::vector<loaded_module> modules_;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> unloaded_; ///< number and ticks
    std::size_t reach_ = 0;                    ///< stacks defined here and in what this was forked from
    mutable std::vector<std::uint32_t> known_; ///< by id; those asked for so far
};

/// What the chunks of a trace define: processes, modules, stacks, threads. First every chunk with records is
/// collected, in any order, then `resolve` brings it all together; only then do stacks have indices.
class image_table {
public:
    /// Everything goes into `info`, times by `scale`.
    explicit image_table(trace_info& info) noexcept : info_(info) {}
    image_table(const image_table&) = delete;
    image_table& operator=(const image_table&) = delete;

    /// Makes known that an image, and a thread of it, wrote a chunk.
    void add(const frame_header& chunk);

    /// Takes the records of a chunk.
    void collect(const frame_header& chunk, std::span<const unsigned char> raw);

    void resolve();

    /// @pre resolve(), and add() was called for it
    const trace_image& image(std::uint32_t number) const { return images_.at(number); }
    /// The index of a thread of trace_info. @pre the same
    std::uint32_t thread(const frame_header& chunk) const {
        return threads_.at({chunk.image, chunk.thread}).index;
    }

    tick_scale scale;

private:
    class collecting_sink;

    struct known_thread {
        std::uint32_t index = 0;
        std::uint32_t tid = 0;
        std::uint64_t first_time = 0;
        std::uint64_t events = 0;
        std::uint64_t named_at = 0;
        std::string name;
    };
    std::uint32_t module_index(const wire::module_record& record);
    void resolve_processes();
    void resolve_stacks(trace_image& image);
    std::uint32_t stack_index(std::vector<code_address> frames);

    trace_info& info_;
    std::map<std::uint32_t, trace_image> images_;                             ///< by number
    std::map<std::pair<std::uint32_t, std::uint32_t>, known_thread> threads_; ///< by image and thread
    std::map<std::pair<std::string, std::string>, std::uint32_t> modules_;    ///< by path and build id
    std::unordered_multimap<std::uint64_t, std::uint32_t> stacks_;            ///< by hash
};

} // namespace linn::tool
