// SPDX-License-Identifier: Apache-2.0
// A trace is a file from anywhere. Whatever is in it, the reader ends, within the memory that its size explains, and
// says that it is damaged; under AddressSanitizer this also shows that nothing outside a chunk is read.
#include "../support/made_trace.hpp"
#include "scratch_folder.hpp"
#include "trace/decode.hpp"
#include "trace/reader.hpp"
#include "trace/trace_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool::trace_fuzz_tests {

using linn::tool::testing::scratch_folder;

/// A trace with everything that a trace can hold.
std::vector<unsigned char> rich_trace(const std::filesystem::path& file) {
    {
        made_trace trace{file};
        made_thread& a = trace.thread(1, 100, 1, 100, 800);
        made_thread& b = trace.thread(2, 200, 2, 200, 800);
        a.define_process(0, 0, 0, {"/bin/a", "a", "b"});
        a.define_module(0, 0, 0x400000, 0x400000, 0x500000, "0123", "/bin/a");
        b.define_process(3, 1, 1, {"/bin/a"});
        a.name_thread(1, "main");
        for (std::uint64_t i = 0; i != 400; ++i) {
            if (i % 40 == 0) {
                a.define_stack(i, static_cast<std::uint32_t>(i / 40 + 1), {0x400100 + i, 0x400200});
            }
            a.allocate(i, 0x10000 + 48 * (i * 31 % 97), 16 + i, static_cast<std::uint32_t>(i / 40 + 1));
            b.release(i, 0x10000 + 48 * (i % 97));
            if (i % 50 == 0) {
                a.reallocate(i, 0x10000, 0x20000, 99, 1);
                a.fill(i, 0x20000, 2048, 1, 300);
                b.fail(i, 1 << 30, 2);
                b.drop(i, 3);
                a.define_rtti(i, 1, "4Type");
            }
        }
        a.unload_module(500, 0);
    }
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

void write(const std::filesystem::path& file, const std::vector<unsigned char>& bytes) {
    std::ofstream{file, std::ios::binary}.write(
        reinterpret_cast<const char*>(bytes.data()), // char may view anything
        static_cast<std::streamsize>(bytes.size()));
}

/// Reads all there is; every event's indices must be in range. False where the file is refused.
bool read_all(const std::filesystem::path& file) {
    try {
        trace_reader reader{file};
        std::uint64_t events = 0;
        reader.read([&](std::span<const event> batch) {
            events += batch.size();
            for (const event& e : batch) {
                REQUIRE(e.process < reader.info().processes.size());
                REQUIRE(e.thread < reader.info().threads.size());
                REQUIRE(e.stack < reader.info().stacks.size());
            }
        });
        for (const auto& stack : reader.info().stacks) {
            for (const code_address& frame : stack) {
                REQUIRE((frame.module == code_address::unknown_module ||
                         frame.module < reader.info().modules.size()));
            }
        }
        REQUIRE(events == reader.info().events);
        return true;
    } catch (const unusable_trace&) {
        return false;
    }
}

std::size_t pick(std::mt19937_64& random, std::size_t below) {
    return static_cast<std::size_t>(random() % below);
}

TEST_CASE("Flipped, lost, doubled and invented bytes never do more than damage") {
    const scratch_folder folder;
    const std::vector<unsigned char> good = rich_trace(folder / "good.linn");
    std::mt19937_64 random{20261121};
    for (int round = 0; round != 400; ++round) {
        CAPTURE(round);
        std::vector<unsigned char> bad = good;
        for (std::size_t changes = 1 + pick(random, 4); changes != 0 && bad.size() > 100; --changes) {
            const std::size_t at = pick(random, bad.size() - 64);
            const auto place = bad.begin() + static_cast<std::ptrdiff_t>(at);
            switch (random() % 5) {
            case 0:
                bad[at] = static_cast<unsigned char>(bad[at] ^ 1u << random() % 8);
                break;
            case 1:
                bad.erase(place, place + static_cast<std::ptrdiff_t>(1 + pick(random, 60)));
                break;
            case 2:
                bad.insert(place, 1 + pick(random, 200), static_cast<unsigned char>(random()));
                break;
            case 3:
                bad.resize(at);
                break;
            default:
                std::fill_n(place, 1 + pick(random, 60), static_cast<unsigned char>(random() % 2 * 255));
            }
        }
        write(folder / "bad.linn", bad);
        read_all(folder / "bad.linn");
    }
}

TEST_CASE("Chunks of arbitrary bytes behind right checksums never do more than damage") {
    const scratch_folder folder;
    rich_trace(folder / "good.linn");
    std::vector<std::pair<frame_header, std::vector<unsigned char>>> chunks;
    {
        trace_file file{folder / "good.linn"};
        std::vector<unsigned char> raw;
        for (const frame_place& f : file.frames()) {
            if (f.header.kind == frame_kind::chunk && file.payload(f, raw)) {
                chunks.emplace_back(f.header, raw);
            }
        }
    }
    std::mt19937_64 random{7};
    for (int round = 0; round != 300; ++round) {
        CAPTURE(round);
        trace_writer writer;
        REQUIRE(writer.open(folder / "bad.linn").empty());
        if (round % 3 != 0) {
            recording_start start;
            start.ticks_per_ns = round % 2 == 0 ? 1e-5 : 900;
            writer.write_start(start);
        }
        for (auto [header, raw] : chunks) {
            for (std::size_t changes = pick(random, 6); changes != 0; --changes) {
                // Entries begin behind the header, whose lengths are worth changing too.
                const std::size_t at = pick(random, raw.size());
                switch (random() % 4) {
                case 0:
                    raw[at] = static_cast<unsigned char>(random());
                    break;
                case 1:
                    raw.resize(at + 1);
                    break;
                case 2:
                    std::fill_n(raw.begin() + static_cast<std::ptrdiff_t>(at),
                                std::min<std::size_t>(10, raw.size() - at), static_cast<unsigned char>(0xff));
                    break;
                default:
                    raw[at] = static_cast<unsigned char>(1 + random() % 24); // a tag
                }
            }
            if (random() % 8 == 0) {
                header.sequence = static_cast<std::uint32_t>(random());
            }
            if (random() % 8 == 0) {
                header.image = static_cast<std::uint32_t>(random() % 4);
            }
            if (random() % 8 == 0) {
                header.events = static_cast<std::uint32_t>(random());
            }
            if (random() % 8 == 0) {
                header.first_time = random();
            }
            writer.write_chunk(header, raw);
        }
        writer.write_end({});
        CHECK(read_all(folder / "bad.linn"));
    }
}

TEST_CASE("A length that promises more than there is takes no memory") {
    const scratch_folder folder;
    trace_writer writer;
    REQUIRE(writer.open(folder / "bomb.linn").empty());
    writer.write_start({});
    writer.write_end({});
    std::vector<unsigned char> bytes(file_header_bytes);
    {
        std::ifstream in{folder / "bomb.linn", std::ios::binary};
        bytes.assign(std::istreambuf_iterator<char>{in}, {});
    }
    frame_header header;
    header.kind = frame_kind::chunk;
    header.codec = frame_codec::zstd;
    header.raw_bytes = 0xffff'ffff;
    header.stored_bytes = 10;
    SUBCASE("an unpacked chunk of 4 GiB") {}
    SUBCASE("a stored chunk beyond the file") {
        header.raw_bytes = header.stored_bytes = static_cast<std::uint32_t>(most_chunk_bytes);
        header.codec = frame_codec::stored;
    }
    SUBCASE("more stored than unpacked") {
        header.raw_bytes = 5;
    }
    SUBCASE("a JSON document beyond the limit") {
        header.kind = frame_kind::start;
        header.raw_bytes = static_cast<std::uint32_t>(most_document_bytes) + 1;
    }
    const auto packed = header.pack();
    bytes.insert(bytes.end(), packed.begin(), packed.end());
    bytes.insert(bytes.end(), 10, 'x');
    write(folder / "bomb.linn", bytes);
    trace_reader reader{folder / "bomb.linn"};
    reader.read([](std::span<const event>) { FAIL("there is no event"); });
    CHECK(!reader.info().missing.empty());
}

TEST_CASE("A trace of linn 0.2 that holds statistics instead of events is refused, with what to do") {
    const scratch_folder folder;
    std::vector<unsigned char> bytes(trace_magic.begin(), trace_magic.end());
    bytes.insert(bytes.end(), {1, 0, 0, 0, 0, 0, 0, 0});
    frame_header header;
    header.kind = frame_kind::aggregate;
    header.payload_crc = crc_of({});
    const auto packed = header.pack();
    bytes.insert(bytes.end(), packed.begin(), packed.end());
    write(folder / "a.linn", bytes);
    try {
        const trace_reader reader{folder / "a.linn"};
        FAIL("it was read");
    } catch (const unusable_trace& error) {
        CHECK(std::string_view{error.what()}.find("record the program again") != std::string_view::npos);
    }
}

TEST_CASE("Documents of a trace may hold anything") {
    const scratch_folder folder;
    for (const std::string text :
         {"", "null", "[]", "{", "{}", R"({"command": 5, "ticks_per_ns": "x", "depth": -1})",
          R"({"ticks_per_ns": 0})", R"({"ticks_per_ns": 1e400, "start_ticks": 1.5})",
          R"({"command": [1, null, {"a": []}], "user_ns": -1e300, "ending": ["x"]})"}) {
        CAPTURE(text);
        std::vector<unsigned char> bytes(trace_magic.begin(), trace_magic.end());
        bytes.insert(bytes.end(), {1, 0, 0, 0, 0, 0, 0, 0});
        for (const frame_kind kind : {frame_kind::start, frame_kind{77}, frame_kind::end}) {
            frame_header header;
            header.kind = kind;
            header.raw_bytes = header.stored_bytes = static_cast<std::uint32_t>(text.size());
            const std::vector<unsigned char> payload(text.begin(), text.end());
            header.payload_crc = crc_of(payload);
            const auto packed = header.pack();
            bytes.insert(bytes.end(), packed.begin(), packed.end());
            bytes.insert(bytes.end(), payload.begin(), payload.end());
        }
        write(folder / "a.linn", bytes);
        CHECK(read_all(folder / "a.linn"));
    }
}

} // namespace linn::tool::trace_fuzz_tests
