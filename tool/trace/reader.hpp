// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/files.hpp"
#include "event.hpp"
#include "info.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace linn::tool {

/// Whether the caller knows of weights: what a block of a sampled trace stands for.
enum class sample_policy : bool { refuse, accept };
inline constexpr sample_policy may_be_sample = sample_policy::accept;

/// A trace on disk. Damage in the middle or a missing end is not an error: what is whole is read, the rest is told in
/// `info().missing`.
class trace_reader {
public:
    /// Reads the file's frame headers. `unwritten`: frames that a recording which still runs would write next. Throws
    /// unusable_input.
    explicit trace_reader(const std::filesystem::path& file, sample_policy samples = sample_policy::refuse,
                          std::vector<unsigned char> unwritten = {});
    trace_reader(const trace_reader&) = delete;
    trace_reader& operator=(const trace_reader&) = delete;
    ~trace_reader();

    /// Gives all events, merged over threads in the order of time, in batches. `progress` gets the share of the file that
    /// was read, a few times a second, and may return false to stop early. Can be called again. Memory: one chunk a
    /// thread, and what info() holds.
    void read(const std::function<void(std::span<const event>)>& take,
              const std::function<bool(double)>& progress = {});

    /// What the file says of the run; stacks, modules and threads are complete only after read().
    const trace_info& info() const noexcept;

private:
    class state;
    std::unique_ptr<state> state_;
};

} // namespace linn::tool
