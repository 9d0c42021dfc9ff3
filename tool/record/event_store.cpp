// SPDX-License-Identifier: Apache-2.0
#include "event_store.hpp"

#include "../analysis/accumulator.hpp"
#include "../analysis/analysis_text.hpp"
#include "../trace/reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace linn::tool {

event_store::~event_store() {
    if (fd_ >= 0) {
        ::close(fd_);
    }
}

std::string event_store::open(const std::filesystem::path& neighbour) {
    const std::string name = fmt::format("{}.{}.events", neighbour.string(), ::getpid());
    if (std::string problem = writer_.open(name); !problem.empty()) {
        return problem;
    }
    fd_ = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    ::unlink(name.c_str());
    return fd_ < 0 ? fmt::format("{} cannot be read again", name) : std::string{};
}

std::string event_store::statistics() const {
    trace_reader trace{fmt::format("/proc/self/fd/{}", fd_), may_be_sample};
    accumulator statistics{trace.info()};
    trace.read([&](std::span<const event> events) { statistics.take(events); });
    return analysis_text(statistics.finish(trace.info()));
}

} // namespace linn::tool
