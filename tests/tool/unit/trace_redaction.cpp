// SPDX-License-Identifier: Apache-2.0
// A redacted trace is sent to others because it says that it tells nothing of the machine: so every byte of it is searched
// for what must not be there, and what advice needs is compared event by event.
#include "../support/made_trace.hpp"
#include "scratch_folder.hpp"
#include "trace/reader.hpp"
#include "trace/redaction.hpp"
#include "trace/trace_file.hpp"
#include "unit.hpp"

#include <sys/stat.h>

namespace linn::tool::trace_redaction_tests {

using linn::tool::testing::scratch_folder;

constexpr std::uint64_t heap = 0x5555'1234'5000; // not at the beginning of a region

std::vector<event> events_of(trace_reader& reader) {
    std::vector<event> all;
    reader.read([&](std::span<const event> batch) { all.insert(all.end(), batch.begin(), batch.end()); });
    return all;
}

/// All payloads, decompressed.
std::string contents_of(const std::filesystem::path& path) {
    trace_file file{path};
    std::string all;
    std::vector<unsigned char> raw;
    for (const frame_place& place : file.frames()) {
        REQUIRE(file.payload(place, raw));
        all.append(raw.begin(), raw.end());
    }
    return all;
}

void make_trace(const std::filesystem::path& path) {
    made_trace trace{path};
    made_thread& one = trace.thread(1, 100, 1, 100, 4096);
    made_thread& two = trace.thread(1, 100, 2, 101);
    one.define_process(0, 0, 0, {"/home/alice/bin/server", "/home/alice/bin/server", "--password=hunter2"});
    one.define_module(0, 0, 0x1000, 0x1000, 0x9000, "0123456789abcdefghij", "/home/alice/lib/liba.so");
    one.name_thread(0, "worker");
    one.define_stack(1, 1, {0x1100, 0x1200});
    one.define_rtti(1, 1, "6packet");
    for (std::uint64_t i = 0; i != 5000; ++i) {
        one.allocate(2 + 4 * i, heap + 64 * i, 24 + i % 7, 1, allocation_call::operator_new);
        two.release(4 + 4 * i, heap + 64 * i, allocation_call::operator_delete);
    }
    one.allocate(30000, 0x7fff'0000'0010 - 0x2000, 0x10000, 1); // lies in two regions
    one.fill(30001, 0x7fff'0000'1010, 0x4000, 1, 77);
    one.reallocate(30002, 0x7fff'0000'0010 - 0x2000, heap + 16, 100, 1);
    one.fail(30003, 1ULL << 50, 1);
    one.release(30004, heap + 16);
    one.drop(30005, 3);
    one.unload_module(30006, 0);
    recording_end end;
    end.ending = "exit status 0";
    end.cut_stacks = 7;
    end.stopped = "/home/alice/a.linn cannot be written any further";
    trace.finish(end);
}

TEST_CASE("A redacted trace holds nothing of what names the user or the machine") {
    const scratch_folder folder;
    make_trace(folder / "a.linn");
    trace_file file{folder / "a.linn"};
    const std::string before = contents_of(folder / "a.linn");
    REQUIRE(write_redacted(file, folder / "b.linn", {}).empty());
    const std::string after = contents_of(folder / "b.linn");
    for (const char* secret : {"alice", "hunter2", "/made", "a machine", "up"}) {
        CAPTURE(secret);
        CHECK(before.find(secret) != std::string::npos);
        CHECK(after.find(secret) == std::string::npos);
    }
    for (const char* kept :
         {"liba.so", "server", "0123456789abcdefghij", "6packet", "worker", "exit status 0"}) {
        CAPTURE(kept);
        CHECK(after.find(kept) != std::string::npos);
    }
}

TEST_CASE("A redacted trace has the same events at other addresses") {
    const scratch_folder folder;
    make_trace(folder / "a.linn");
    trace_file file{folder / "a.linn"};
    REQUIRE(write_redacted(file, folder / "b.linn", {}).empty());
    trace_reader original{folder / "a.linn"};
    trace_reader redacted{folder / "b.linn"};
    const std::vector<event> was = events_of(original);
    const std::vector<event> is = events_of(redacted);
    REQUIRE(was.size() == 10005);
    REQUIRE(is.size() == was.size());
    std::map<std::uint64_t, std::uint64_t> moved;
    for (std::size_t i = 0; i != was.size(); ++i) {
        CAPTURE(i);
        REQUIRE(is[i].kind == was[i].kind);
        REQUIRE(is[i].call == was[i].call);
        REQUIRE(is[i].bytes == was[i].bytes);
        REQUIRE(is[i].stack == was[i].stack);
        REQUIRE(is[i].thread == was[i].thread);
        REQUIRE(is[i].time == was[i].time);
        if (was[i].kind != event_kind::allocation && was[i].kind != event_kind::release) {
            continue;
        }
        REQUIRE(moved.try_emplace(was[i].address, is[i].address).first->second == is[i].address);
        REQUIRE(is[i].address < (std::uint64_t{3} << 24));
    }
    const event& block = was[10000];
    const event& fill = was[10001];
    REQUIRE(fill.kind == event_kind::fill);
    CHECK(is[10001].address - is[10000].address == fill.address - block.address);
    CHECK(redacted.info().threads.size() == original.info().threads.size());
    CHECK(redacted.info().stacks == original.info().stacks);
    CHECK(redacted.info().dropped == 3);
    CHECK(redacted.info().cut_stacks == 7);
}

TEST_CASE(
    "The redacted copy appears whole or not at all, never in place of its source, and for its owner alone") {
    const scratch_folder folder;
    make_trace(folder / "a.linn");
    trace_file file{folder / "a.linn"};
    CHECK(write_redacted(file, folder / "a.linn", {}).find("name another file") != std::string::npos);
    CHECK(write_redacted(file, folder / "none" / "b.linn", {}).find("cannot be written") !=
          std::string::npos);
    CHECK(write_redacted(file, folder / "c.linn", [](double share) { return share == 0; }) == "interrupted");
    CHECK(std::distance(std::filesystem::directory_iterator{folder / "."}, {}) == 1);
    REQUIRE(write_redacted(file, folder / "b.linn", {}).empty());
    struct stat s{};
    REQUIRE(::stat((folder / "b.linn").c_str(), &s) == 0);
    CHECK((s.st_mode & 0777) == 0600);
}

TEST_CASE("A damaged trace is redacted as far as it can be read") {
    const scratch_folder folder;
    make_trace(folder / "a.linn");
    std::filesystem::resize_file(folder / "a.linn", std::filesystem::file_size(folder / "a.linn") / 2);
    trace_file file{folder / "a.linn"};
    REQUIRE(write_redacted(file, folder / "b.linn", {}).empty());
    trace_reader original{folder / "a.linn"};
    trace_reader redacted{folder / "b.linn"};
    CHECK(events_of(redacted).size() == events_of(original).size());
    CHECK(redacted.info().ending.empty());
}

} // namespace linn::tool::trace_redaction_tests
