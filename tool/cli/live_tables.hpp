// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../record/recorder.hpp"
#include "../symbols/symbolizer.hpp"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace linn::tool {

struct trace_profile;

/// Draws what a program holds by type, as `linn trace --leaks` does, again each second while the program is recorded. Each time it
/// reads the recording so far from its beginning: the file, and what the program's threads have not handed over yet. This
/// takes at most a tenth of the time, so a long recording is drawn less often.
class live_tables final : public recording_watcher {
public:
    live_tables() = default;

    void begin(const ring_file& ring, const std::filesystem::path& trace, std::uint32_t only_pid) override;
    void end() override;

private:
    void work(const std::stop_token& stop);
    void draw(const std::stop_token& stop);
    void show(const trace_profile& profile) const;
    std::vector<unsigned char> frames_in_ring() const;

    const ring_file* ring_ = nullptr;
    std::filesystem::path trace_;
    std::uint32_t only_pid_ = 0; ///< 0: all processes are recorded
    std::chrono::steady_clock::time_point begun_;
    symbolizer symbols_;
    type_namer namer_{symbols_};
    std::mutex mutex_;
    std::condition_variable_any wakes_;
    std::jthread thread_;
};

} // namespace linn::tool
