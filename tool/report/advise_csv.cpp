// SPDX-License-Identifier: Apache-2.0
#include "advise_csv.hpp"

#include "../advise/type_groups.hpp"
#include "csv.hpp"
#include "shell_words.hpp"
#include "version.hpp"

#include <optional>

namespace linn::tool {

std::string advise_csv(const advice& a) {
    std::string out = csv_line({"label",
                                "type",
                                "container",
                                "allocations",
                                "share",
                                "bytes",
                                "most_frequent_size",
                                "uniformity",
                                "smallest",
                                "largest",
                                "releases",
                                "remote_releases",
                                "temporary",
                                "peak_live",
                                "peak_live_bytes",
                                "live_at_end",
                                "live_bytes_at_end",
                                "median_lifetime_ns",
                                "threads",
                                "zero_filled_bytes",
                                "remedy",
                                "rule",
                                "use",
                                "gain_low",
                                "gain_high",
                                "gain_measured",
                                "file",
                                "line",
                                "function",
                                "command",
                                "started",
                                "version",
                                "cost_low",
                                "cost_high",
                                "estimated_because",
                                "runtime",
                                "answer",
                                "served_with",
                                "address",
                                "tried_saved",
                                "tried_low",
                                "tried_high",
                                "tried_together",
                                "not_tried"});
    for (const advised_type& t : a.types) {
        const site_statistics& s = t.statistics;
        const symbol_frame place = t.places.empty() ? symbol_frame{} : t.places.front().frame;
        const bool has_gain = t.what != remedy::nothing && t.served_with.empty();
        const auto number = [](bool is_there, double value) {
            return is_there ? std::optional<double>{value} : std::nullopt;
        };
        out += csv_line({label_of(t),
                         t.name,
                         t.container,
                         s.allocations,
                         t.share,
                         s.bytes,
                         s.sizes.empty() ? csv_field{} : csv_field{s.sizes.front().first},
                         s.uniformity(),
                         s.smallest,
                         s.largest,
                         s.releases,
                         s.remote_releases,
                         s.temporary,
                         s.peak_live,
                         s.peak_live_bytes,
                         s.live_at_end,
                         s.live_bytes_at_end,
                         number(s.releases != 0, s.lifetime_quantile(0.5)),
                         s.threads,
                         s.filled_bytes,
                         to_string(t.what),
                         t.rule,
                         t.part,
                         number(has_gain, t.gain.low),
                         number(has_gain, t.gain.high),
                         t.is_gain_measured,
                         place.file,
                         place.line == 0 ? csv_field{} : csv_field{place.line},
                         place.function,
                         shell_words(a.analysis.info.command),
                         a.analysis.info.started,
                         version_text(),
                         number(a.program_cpu_ns > 0, t.cost.low),
                         number(a.program_cpu_ns > 0, t.cost.high),
                         to_string(t.estimated_because),
                         t.runtime,
                         to_string(a.answer),
                         t.served_with,
                         t.named.blocks.address,
                         number(t.tried.has_value(), t.tried ? t.tried->saved : 0),
                         number(t.tried.has_value(), t.tried ? t.tried->interval.low : 0),
                         number(t.tried.has_value(), t.tried ? t.tried->interval.high : 0),
                         t.tried ? csv_field{t.tried->together} : csv_field{},
                         t.not_tried});
    }
    return out;
}

} // namespace linn::tool
