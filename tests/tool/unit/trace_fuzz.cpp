// SPDX-License-Identifier: Apache-2.0
// Lengths of a trace that promise what is not there, and traces of older versions. The fuzz target `trace` has what is damaged at random.
#include "scratch_folder.hpp"
#include "trace/frame.hpp"
#include "trace/reader.hpp"
#include "trace/trace_file.hpp"
#include "unit.hpp"

namespace linn::tool::trace_fuzz_tests {

using linn::tool::testing::scratch_folder;

void write(const std::filesystem::path& file, const std::vector<unsigned char>& bytes) {
    std::ofstream{file, std::ios::binary}.write(
        reinterpret_cast<const char*>(bytes.data()), // char may view anything
        static_cast<std::streamsize>(bytes.size()));
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

TEST_CASE("A trace of linn 0.2 whose events have no times is refused, with what to do") {
    const scratch_folder folder;
    {
        trace_writer writer;
        REQUIRE(writer.open(folder / "a.linn").empty());
        recording_start start;
        start.clock = "every8";
        writer.write_start(start);
        writer.write_end({});
    }
    CHECK_THROWS_WITH_AS((trace_reader{folder / "a.linn"}), doctest::Contains("record the program again"),
                         unusable_trace);
}

} // namespace linn::tool::trace_fuzz_tests
