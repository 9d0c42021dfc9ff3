// SPDX-License-Identifier: Apache-2.0
#include "dhat.hpp"

#include "../../measure/shell_words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <ostream>
#include <string>

namespace linn::tool {
namespace {

constexpr std::uint64_t short_life_us = 10; // blocks that DHAT counts as short-lived live no longer

/// A text as JSON; bytes that are no UTF-8 are replaced.
std::string json_text(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// "0x1234: f(int) (file.cpp:12)", as DHAT writes it.
std::string frame_text(const symbol_frame& f, const code_address& at, const trace_info& info) {
    std::string where;
    if (!f.file.empty()) {
        where = fmt::format("{}:{}", file_name(f.file), f.line);
    } else if (at.module < info.modules.size()) {
        where = "in " + info.modules[at.module].path;
    }
    return fmt::format("0x{:X}: {}{}", at.address, f.function.empty() ? "???" : f.function,
                       where.empty() ? "" : " (" + where + ')');
}

/// Numbers the frames; each text has one number.
class frame_table {
public:
    std::size_t number(const std::string& text) {
        const auto [at, is_new] = numbers_.try_emplace(text, texts_.size());
        if (is_new) {
            texts_.push_back(&at->first);
        }
        return at->second;
    }

    void write(std::ostream& out) const {
        const char* separator = "[";
        for (const std::string* t : texts_) {
            out << separator << json_text(*t);
            separator = "\n ,";
        }
        out << "\n ]";
    }

private:
    std::map<std::string, std::size_t> numbers_;
    std::vector<const std::string*> texts_;
};

} // namespace

void write_dhat(const trace_info& info, const stack_tally& tally, const address_names& names,
                std::ostream& out) {
    frame_table table;
    table.number("[root]"); // is always the first
    out << "{\"dhatFileVersion\":2\n,\"mode\":\"heap\",\"verb\":\"Allocated\"\n,\"bklt\":true,\"bkacc\":"
           "false\n"
           ",\"tu\":\"µs\",\"Mtu\":\"s\"\n,\"tuth\":"
        << short_life_us << "\n,\"cmd\":" << json_text(shell_words(info.command))
        << "\n,\"pid\":" << (info.processes.empty() ? 0 : info.processes.front().pid)
        << "\n,\"te\":" << info.duration_ns / 1000 << "\n,\"tg\":" << tally.peak_time() / 1000
        << "\n,\"pps\":\n [";
    const char* separator = "";
    for (std::size_t i = 0; i != tally.stacks().size(); ++i) {
        const stack_totals& t = tally.stacks()[i];
        if (t.allocations == 0) {
            continue;
        }
        std::string frames;
        if (i < info.stacks.size()) {
            for (const code_address& at : info.stacks[i]) {
                for (const symbol_frame& f : names(at)) {
                    frames +=
                        fmt::format("{}{}", frames.empty() ? "" : ",", table.number(frame_text(f, at, info)));
                }
            }
        }
        if (frames.empty()) {
            frames = std::to_string(table.number("0x0: ??? (no stack)"));
        }
        out << separator
            << fmt::format(
                   "{{\"tb\":{},\"tbk\":{}\n  ,\"tl\":{}\n  ,\"mb\":{},\"mbk\":{}\n  ,\"gb\":{},\"gbk\":{}\n"
                   "  ,\"eb\":{},\"ebk\":{}\n  ,\"fs\":[{}]\n  }}\n",
                   t.bytes, t.allocations, t.lifetimes_ns / 1000, t.most_live_bytes, t.most_live,
                   t.live_bytes_at_peak, t.live_at_peak, t.live_bytes, t.live, frames);
        separator = " ,";
    }
    out << " ]\n,\"ftbl\":\n ";
    table.write(out);
    out << "\n}\n";
}

} // namespace linn::tool
