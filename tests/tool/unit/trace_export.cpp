// SPDX-License-Identifier: Apache-2.0
// What each stack allocated, added up by hand: peaks, lifetimes, and what races and forks make of them. What other
// programs make of the files is tested by convert_cases.py.
#include "report/trace_export/trace_export.hpp"

#include "export_samples.hpp"
#include "report/trace_export/gzip_stream.hpp"
#include "report/trace_export/protobuf_writer.hpp"
#include "report/trace_export/stack_tally.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <array>
#include <sstream>
#include <string>
#include <vector>

namespace linn::tool::trace_export_tests {

event at(std::uint64_t time, event_kind kind, std::uint64_t address, std::uint64_t bytes, std::uint32_t stack,
         std::uint32_t thread = 0, std::uint32_t process = 0) {
    event e;
    e.time = time;
    e.kind = kind;
    e.address = address;
    e.bytes = bytes;
    e.stack = stack;
    e.thread = thread;
    e.process = process;
    return e;
}

constexpr auto got = event_kind::allocation;
constexpr auto gave = event_kind::release;

stack_tally tally_of(const std::vector<event>& events, std::uint64_t end) {
    stack_tally tally;
    tally.take(events);
    tally.finish(end);
    return tally;
}

TEST_CASE("a tally has what each stack had when most was live, and not what it had before or after") {
    const stack_tally t =
        tally_of({at(1, got, 0x10, 100, 1), at(2, got, 0x20, 40, 2), at(3, gave, 0x10, 0, 0),
                  at(4, got, 0x30, 70, 3), at(5, got, 0x40, 50, 2), at(6, gave, 0x20, 0, 0)},
                 10);
    CHECK(t.peak_bytes() == 160);
    CHECK(t.peak_time() == 5);
    CHECK(t.stacks()[1].live_bytes_at_peak == 0);
    CHECK(t.stacks()[2].live_bytes_at_peak == 90);
    CHECK(t.stacks()[2].live_at_peak == 2);
    CHECK(t.stacks()[3].live_bytes_at_peak == 70);
    CHECK(t.stacks()[2].live_bytes == 50);
    CHECK(t.stacks()[2].most_live_bytes == 90);
}

TEST_CASE("lifetimes of what is never released go up to the end") {
    const stack_tally t =
        tally_of({at(1, got, 0x10, 8, 1), at(4, got, 0x20, 8, 1), at(6, gave, 0x10, 0, 0)}, 10);
    CHECK(t.stacks()[1].lifetimes_ns == 5 + 6);
}

TEST_CASE("a release that comes after its address was given out again is that of the old block") {
    const stack_tally t =
        tally_of({at(1, got, 0x10, 100, 1, 0), at(2, got, 0x10, 7, 2, 1), at(3, gave, 0x10, 0, 0, 0)}, 9);
    CHECK(t.stacks()[1].live == 0);
    CHECK(t.stacks()[2].live == 1);
    CHECK(t.stacks()[2].live_bytes == 7);
    const stack_tally own = tally_of({at(1, got, 0x10, 100, 1, 0), at(2, got, 0x10, 7, 2, 1),
                                      at(3, gave, 0x10, 0, 0, 1), at(4, gave, 0x10, 0, 0, 0)},
                                     9);
    CHECK(own.stacks()[2].live == 0);
}

TEST_CASE("one address in two processes is two blocks; unknown releases and null are nothing") {
    const stack_tally t =
        tally_of({at(1, got, 0x10, 100, 1, 0, 0), at(2, got, 0x10, 30, 2, 1, 1),
                  at(3, gave, 0x10, 0, 0, 1, 1), at(4, gave, 0x99, 0, 0), at(5, got, 0, 5, 3)},
                 9);
    CHECK(t.stacks()[1].live_bytes == 100);
    CHECK(t.stacks()[2].live_bytes == 0);
    CHECK(t.stacks().size() == 3);
}

TEST_CASE("the numbers of protocol buffers are as its documentation has them") {
    protobuf_writer w;
    w.number(1, 150); // its own example: 08 96 01
    CHECK(w.text() == "\x08\x96\x01");
    w = {};
    w.bytes(2, "testing"); // 12 07 …
    CHECK(w.text() == "\x12\x07testing");
    w = {};
    w.numbers(6, std::array<std::uint64_t, 3>{3, 270, 86942}); // 32 06 03 8E 02 9E A7 05
    CHECK(w.text() == "\x32\x06\x03\x8E\x02\x9E\xA7\x05");
    w = {};
    w.number(1, 0);
    CHECK(w.text().empty());
    w.number(15, ~std::uint64_t{0});
    CHECK(w.text().size() == 11);
}

TEST_CASE("what is compressed comes out again, however large the pieces") {
    std::string all;
    std::ostringstream out;
    gzip_stream gzip{out};
    for (std::size_t i = 0; i != 300; ++i) {
        std::string piece(i * 7, static_cast<char>('a' + i % 26));
        piece += std::to_string(i * 2654435761U);
        gzip.write(piece);
        all += piece;
    }
    gzip.finish();
    const std::string packed = out.str();
    CHECK(packed.size() < all.size() / 4);
    std::string plain(all.size() + 1, '\0');
    z_stream z{};
    REQUIRE(::inflateInit2(&z, 15 + 16) == Z_OK);
    std::string copy = packed;
    z.next_in = reinterpret_cast<Bytef*>(copy.data());
    z.avail_in = static_cast<uInt>(copy.size());
    z.next_out = reinterpret_cast<Bytef*>(plain.data());
    z.avail_out = static_cast<uInt>(plain.size());
    CHECK(::inflate(&z, Z_FINISH) == Z_STREAM_END);
    ::inflateEnd(&z);
    plain.resize(z.total_out);
    CHECK(plain == all);
}

TEST_CASE("a format has a name, and a name that is none has no format") {
    for (const std::string& name : export_format_names()) {
        CHECK(export_format_names()[static_cast<std::size_t>(*export_format_of(name))] == name);
    }
    CHECK(export_format_of("dhat") == export_format::dhat);
    CHECK(export_format_of("csv-stacks") == export_format::csv_stacks);
    CHECK_FALSE(export_format_of("svg"));
}

} // namespace linn::tool::trace_export_tests
