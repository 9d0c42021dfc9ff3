// SPDX-License-Identifier: Apache-2.0
#include "build_program.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>

namespace linn::tool {
namespace {

bool takes_part(const event& e) noexcept {
    return e.kind != event_kind::fill && e.kind != event_kind::failure;
}

/// The image with the most events; one that is named by no event is the first.
std::uint32_t busiest(const std::vector<std::uint64_t>& events) {
    return static_cast<std::uint32_t>(std::max_element(events.begin(), events.end()) - events.begin());
}

std::filesystem::path temporary_folder() {
    const char* const given = std::getenv("TMPDIR");
    return given != nullptr && *given != '\0' ? given : "/tmp";
}

} // namespace

std::vector<std::uint8_t> groups_of_stacks(const std::vector<replay_group>& groups) {
    std::vector<std::uint8_t> of;
    for (std::size_t g = 0; g != std::min(groups.size(), most_replay_groups); ++g) {
        for (const std::uint32_t stack : groups[g].stacks) {
            if (stack >= of.size()) {
                of.resize(std::size_t{stack} + 1, 0);
            }
            if (of[stack] == 0) {
                of[stack] = static_cast<std::uint8_t>(g + 1);
            }
        }
    }
    return of;
}

built_program build_program(trace_reader& trace, const replay_options& options,
                            const std::function<bool(double)>& progress) {
    bool is_interrupted = false;
    // Which image is the busiest is known at the end only, so a trace of several is read twice.
    const bool may_have_several = trace.info().processes.size() != 1;
    std::vector<std::uint64_t> events(1, 0);
    if (may_have_several) {
        trace.read(
            [&](std::span<const event> batch) {
                for (const event& e : batch) {
                    if (e.process >= events.size()) {
                        events.resize(std::size_t{e.process} + 1, 0);
                    }
                    events[e.process] += takes_part(e) ? 1u : 0u;
                }
            },
            [&](double share) {
                is_interrupted = is_interrupted || !progress(share / 2);
                return !is_interrupted;
            });
    }
    const std::uint32_t chosen = busiest(events);
    program_builder builder{temporary_folder(), groups_of_stacks(options.groups)};
    std::uint64_t all_events = 0;
    std::uint64_t process_events = 0;
    const auto is_full = [&] { return builder.so_far().events >= options.most_events; };
    bool is_cut = false;
    if (!is_interrupted) {
        trace.read(
            [&](std::span<const event> batch) {
                for (const event& e : batch) {
                    if (!takes_part(e)) {
                        continue;
                    }
                    ++all_events;
                    if (e.process != chosen) {
                        continue;
                    }
                    ++process_events;
                    if (is_full()) {
                        is_cut = true;
                    } else {
                        builder.add(e);
                    }
                }
            },
            [&](double share) {
                is_interrupted = is_interrupted || !progress(may_have_several ? 0.5 + share / 2 : share);
                return !is_interrupted && !is_cut;
            });
    }
    return {builder.finish(), chosen, process_events, all_events, is_cut, is_interrupted};
}

} // namespace linn::tool
