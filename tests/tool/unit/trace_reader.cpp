// SPDX-License-Identifier: Apache-2.0
// A reader that mixes up threads, loses an event or attaches a stack to another makes every later number wrong without
// a word; so what comes out of a trace is compared with what was put in, to the last event.
#include "../support/made_trace.hpp"
#include "scratch_folder.hpp"
#include "trace/trace_file.hpp"
#include "unit.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace linn::tool::trace_reader_tests {

using linn::tool::testing::scratch_folder;

std::vector<event> events_of(trace_reader& reader) {
    std::vector<event> all;
    reader.read([&](std::span<const event> batch) { all.insert(all.end(), batch.begin(), batch.end()); });
    return all;
}

/// What read() of an unusable file says; empty where it can be read.
std::string refusal(const std::filesystem::path& file) {
    try {
        trace_reader reader{file};
        events_of(reader);
    } catch (const unusable_input& error) {
        return error.what();
    }
    return {};
}

bool mentions(const std::vector<std::string>& sentences, const std::string& words) {
    return std::any_of(sentences.begin(), sentences.end(),
                       [&](const std::string& s) { return s.find(words) != std::string::npos; });
}

std::vector<char> content(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

void write(const std::filesystem::path& file, const std::vector<char>& bytes) {
    std::ofstream{file, std::ios::binary}.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Two threads, several chunks each, one process, and what goes with it. Returns the events of both.
std::uint64_t make_two_threads(const std::filesystem::path& file, std::uint64_t each = 2000,
                               std::size_t chunk_bytes = 4096) {
    made_trace trace{file};
    made_thread& a = trace.thread(1, 100, 1, 100, chunk_bytes);
    made_thread& b = trace.thread(1, 100, 2, 101, chunk_bytes);
    a.define_process(0, 0, 0, {"/bin/made", "made", "up"});
    a.define_module(0, 0, 0x400000, 0x400000, 0x500000, "\x01\xab", "/bin/made");
    a.name_thread(0, "made");
    for (std::uint64_t i = 0; i != each; ++i) {
        if (i % 500 == 0) {
            a.define_stack(2 * i, static_cast<std::uint32_t>(1 + i / 500), {0x401000 + i, 0x402000});
        }
        a.allocate(2 * i, 0x10000 + 64 * i, 40 + i % 3, static_cast<std::uint32_t>(1 + i / 500));
        b.release(2 * i + 1, 0x10000 + 64 * i);
    }
    recording_end end;
    end.events = 2 * each;
    trace.finish(std::move(end));
    return 2 * each;
}

TEST_CASE("Threads come out merged by time, each in its own order, with all they hold") {
    const scratch_folder folder;
    const std::uint64_t total = make_two_threads(folder / "a.linn");
    trace_reader reader{folder / "a.linn"};
    const std::vector<event> events = events_of(reader);
    REQUIRE(events.size() == total);
    for (std::size_t i = 0; i != events.size(); ++i) {
        const event& e = events[i];
        REQUIRE(e.time == 16 * i);
        REQUIRE(e.address == 0x10000 + 64 * (i / 2));
        REQUIRE(e.thread == i % 2);
        REQUIRE(e.kind == (i % 2 == 0 ? event_kind::allocation : event_kind::release));
        REQUIRE(e.bytes == (i % 2 == 0 ? 40 + i / 2 % 3 : 0));
    }
    const trace_info& info = reader.info();
    CHECK(info.missing.empty());
    CHECK(info.events == total);
    CHECK(info.command == std::vector<std::string>{"./made", "up"});
    CHECK(info.ending == "exit status 0");
    REQUIRE(info.threads.size() == 2);
    CHECK(info.threads[0].tid == 100);
    CHECK(info.threads[0].name == "made");
    CHECK(info.threads[1].events == total / 2);
    REQUIRE(info.processes.size() == 1);
    CHECK(info.processes[0].executable == "/bin/made");
    CHECK(info.processes[0].arguments == std::vector<std::string>{"made", "up"});
    REQUIRE(info.modules.size() == 1);
    CHECK(info.modules[0].build_id == "01ab");
    REQUIRE(info.stacks.size() == 5);
    CHECK(info.stacks[0].empty());
    CHECK(info.stacks[events[0].stack] == std::vector<code_address>{{0, 0x1000}, {0, 0x2000}});
    CHECK(info.stacks[events[2000].stack] == std::vector<code_address>{{0, 0x1000 + 1000}, {0, 0x2000}});
    CHECK(events_of(reader).size() == total); // a second time
    CHECK(info.stacks.size() == 5);
}

TEST_CASE("A stack may be told later, and by another thread, than it is used") {
    const scratch_folder folder;
    {
        made_trace trace{folder / "a.linn"};
        made_thread& user = trace.thread(1, 100, 1, 100);
        made_thread& teller = trace.thread(1, 100, 2, 101);
        user.allocate(1, 0x1000, 24, 5);
        user.allocate(2, 0x2000, 24, 6); // nobody defines it
        teller.define_stack(50, 5, {0x77});
        teller.allocate(51, 0x3000, 24, 5);
    }
    trace_reader reader{folder / "a.linn"};
    const std::vector<event> events = events_of(reader);
    REQUIRE(events.size() == 3);
    CHECK(events[0].stack == 1);
    CHECK(events[1].stack == 0);
    CHECK(events[2].stack == 1);
}

TEST_CASE(
    "A forked child inherits the stacks that its parent had, and equal stacks of two processes are one") {
    const scratch_folder folder;
    {
        made_trace trace{folder / "a.linn"};
        made_thread& parent = trace.thread(1, 100, 1, 100);
        made_thread& child = trace.thread(2, 200, 2, 200);
        made_thread& other = trace.thread(3, 300, 3, 300);
        parent.define_process(0, 0, 0, {"/bin/parent"});
        parent.define_module(0, 0, 0x1000, 0x1000, 0x9000, "id", "/lib/a.so");
        parent.define_stack(1, 1, {0x1100, 0x1200});
        parent.allocate(2, 0x10, 8, 1);
        child.define_process(10, 1, 1, {"/bin/parent"});
        parent.define_stack(20, 2, {0x1300}); // after the fork: not the child's
        parent.allocate(21, 0x20, 8, 2);
        child.allocate(22, 0x30, 8, 1);
        child.define_stack(23, 2, {0x1400});
        child.allocate(24, 0x40, 8, 2);
        child.allocate(25, 0x50, 8, 3); // nobody's
        // Another program with the same library elsewhere.
        other.define_process(30, 2, 2, {"/bin/other"});
        other.define_module(30, 0, 0x700000, 0x701000, 0x709000, "id", "/lib/a.so");
        other.define_stack(31, 9, {0x700100, 0x700200});
        other.define_stack(31, 10, {0x701100 - 0x1000 + 0x1000, 0x701200});
        other.allocate(32, 0x60, 8, 10);
    }
    trace_reader reader{folder / "a.linn"};
    const std::vector<event> events = events_of(reader);
    const trace_info& info = reader.info();
    REQUIRE(events.size() == 6);
    CHECK(events[0].stack == events[2].stack);
    CHECK(info.stacks[events[2].stack] == std::vector<code_address>{{0, 0x100}, {0, 0x200}});
    CHECK(info.stacks[events[1].stack] == std::vector<code_address>{{0, 0x300}});
    CHECK(info.stacks[events[3].stack] == std::vector<code_address>{{0, 0x400}});
    CHECK(events[4].stack == 0);
    CHECK(info.stacks[events[5].stack] == std::vector<code_address>{{0, 0x1100}, {0, 0x1200}});
    CHECK(info.modules.size() == 1);
    REQUIRE(info.processes.size() == 3);
    CHECK(info.processes[1].began == trace_process::origin::fork);
    CHECK(info.processes[1].parent == 0);
    CHECK(info.processes[1].began_at == 160);
    CHECK(info.processes[2].began == trace_process::origin::exec);
    CHECK(info.processes[2].parent == 1);
}

TEST_CASE("An address belongs to the module that was there when the stack was told") {
    const scratch_folder folder;
    {
        made_trace trace{folder / "a.linn"};
        made_thread& t = trace.thread(1, 100, 1, 100);
        t.define_stack(1, 1, {0x5010}); // allocated while its library was loading
        t.define_module(2, 0, 0x5000, 0x5000, 0x6000, "", "/lib/first.so");
        t.define_stack(3, 2, {0x5020});
        t.define_stack(3, 3, {0x6000}); // a call as the last thing in it
        t.unload_module(10, 0);
        t.define_module(20, 1, 0x4000, 0x5000, 0x6000, "", "/lib/second.so");
        t.define_stack(21, 4, {0x5020});
        for (std::uint32_t id = 1; id != 5; ++id) {
            t.allocate(30, 0x1000 * id, 8, id);
        }
    }
    trace_reader reader{folder / "a.linn"};
    const std::vector<event> events = events_of(reader);
    const trace_info& info = reader.info();
    REQUIRE(events.size() == 4);
    CHECK(info.stacks[events[0].stack] == std::vector<code_address>{{0, 0x10}});
    CHECK(info.stacks[events[1].stack] == std::vector<code_address>{{0, 0x20}});
    CHECK(info.stacks[events[2].stack] == std::vector<code_address>{{0, 0x1000}});
    CHECK(info.stacks[events[3].stack] == std::vector<code_address>{{1, 0x1020}});
    CHECK(info.modules[0].path == "/lib/first.so");
}

TEST_CASE("Types found in blocks, dropped events and the order of a thread's clock that stood still") {
    const scratch_folder folder;
    {
        made_trace trace{folder / "a.linn"};
        made_thread& t = trace.thread(1, 100, 1, 100);
        t.define_stack(1, 1, {0x77});
        for (std::uint64_t i = 0; i != 300; ++i) {
            t.allocate(5, 0x1000 + 16 * i, 8, 1);
        }
        t.define_rtti(6, 1, "4Poly");
        t.drop(7, 41);
    }
    trace_reader reader{folder / "a.linn"};
    const std::vector<event> events = events_of(reader);
    REQUIRE(events.size() == 300);
    for (std::size_t i = 0; i != events.size(); ++i) {
        REQUIRE(events[i].address == 0x1000 + 16 * i);
    }
    CHECK(reader.info().rtti.at(1) == "4Poly");
    CHECK(reader.info().dropped == 41);
    CHECK(reader.info().processes[0].dropped == 41);
}

TEST_CASE("A trace cut off at any byte gives every whole chunk and says that it is cut") {
    const scratch_folder folder;
    make_two_threads(folder / "whole.linn", 300, 800);
    const std::vector<char> whole = content(folder / "whole.linn");
    std::vector<std::pair<std::uint64_t, std::uint64_t>> chunks; // where each ends, and its events
    std::uint64_t first_end = 0;                                 // of the first frame
    {
        trace_file file{folder / "whole.linn"};
        first_end = file.frames().front().payload + file.frames().front().header.stored_bytes;
        for (const frame_place& f : file.frames()) {
            if (f.header.kind == frame_kind::chunk) {
                chunks.emplace_back(f.payload + f.header.stored_bytes, f.header.events);
            }
        }
    }
    REQUIRE(chunks.size() > 5);
    write(folder / "cut.linn", whole);
    for (std::size_t size = whole.size(); size-- != 0;) {
        CAPTURE(size);
        REQUIRE(::truncate((folder / "cut.linn").c_str(), static_cast<off_t>(size)) == 0);
        if (size < first_end) {
            REQUIRE(refusal(folder / "cut.linn").find("cut.linn") != std::string::npos);
            continue;
        }
        std::uint64_t expected = 0;
        for (const auto& [end, events] : chunks) {
            expected += end <= size ? events : 0;
        }
        trace_reader reader{folder / "cut.linn"};
        std::uint64_t got = 0;
        reader.read([&](std::span<const event> batch) { got += batch.size(); });
        REQUIRE(got == expected);
        REQUIRE(!reader.info().missing.empty());
    }
}

TEST_CASE("Where the disk is full the last chunks make room for the end, which tells it") {
    const scratch_folder folder;
    make_two_threads(folder / "whole.linn", 3000, 800);
    const auto whole = content(folder / "whole.linn").size();
    const auto former_action = std::signal(SIGXFSZ, SIG_IGN);
    rlimit former{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &former) == 0);
    const auto limit = [&](rlim_t bytes) {
        const rlimit wanted{bytes, former.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &wanted) == 0);
    };
    std::uint64_t fewest = 6000;
    for (std::size_t bytes = whole / 2; bytes < whole; bytes += 17) {
        CAPTURE(bytes);
        limit(bytes);
        make_two_threads(folder / "full.linn", 3000, 800);
        limit(former.rlim_cur);
        trace_reader reader{folder / "full.linn"};
        const std::uint64_t read = events_of(reader).size();
        REQUIRE(!mentions(reader.info().missing, "its end is missing"));
        REQUIRE(!mentions(reader.info().missing, "the file is cut off"));
        REQUIRE(mentions(reader.info().missing,
                         std::to_string(6000 - read) + " of 6000 events are not in the file"));
        fewest = std::min(fewest, read);
    }
    CHECK(fewest > 0);
    std::signal(SIGXFSZ, former_action);
}

TEST_CASE("What is no trace is refused with the reason") {
    const scratch_folder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const std::pair<std::filesystem::path, const char*> rows[] = {
        {folder / "none", "no such file"},
        {folder.path(), "is a directory"},
        {folder.file("empty", ""), "is empty"},
        {folder.file("text", "hello, world, and more"), "is not a linn trace"},
        {folder.file("json", "{\"schema\": 1}"), "looks like JSON"},
        {folder.file("zstd", "\x28\xb5\x2f\xfd ........"), "zstd -d"},
        {folder.file("as_text", "\xef\xbf\xbdLINNTR\r\n........."), "binary mode"},
        {"/dev/null", "not a regular file"},
        {folder / "pipe", "not a regular file"}, // and does not wait for a writer
        {"", "missing trace"},
    };
    for (const auto& [file, reason] : rows) {
        CAPTURE(file);
        CHECK(refusal(file).find(reason) != std::string::npos);
    }
}

TEST_CASE("A newer format is refused, and says which version reads what") {
    const scratch_folder folder;
    make_two_threads(folder / "a.linn", 10);
    std::vector<char> bytes = content(folder / "a.linn");
    bytes[8] = 3;
    write(folder / "newer.linn", bytes);
    const std::string said = refusal(folder / "newer.linn");
    CHECK(said.find("in version 3") != std::string::npos);
    CHECK(said.find("reads version 2") != std::string::npos);
    CHECK(said.find("newer linn") != std::string::npos);
}

TEST_CASE("A distance of samples that no weights have is damage") {
    const scratch_folder folder;
    recording_start start;
    start.sample_bytes = std::uint64_t{1} << 63;
    trace_writer writer;
    REQUIRE(writer.open(folder / "a.linn", version_for(start.sample_bytes)).empty());
    writer.write_start(start);
    writer.write_end({});
    CHECK(mentions(trace_reader{folder / "a.linn"}.info().missing, "its first frame is missing or damaged"));
}

TEST_CASE("Of a damaged trace is read what lies before the damage, and what lies behind a damaged payload") {
    const scratch_folder folder;
    const std::uint64_t total = make_two_threads(folder / "a.linn");
    std::vector<char> bytes = content(folder / "a.linn");
    frame_place victim;
    {
        trace_file file{folder / "a.linn"};
        victim = file.frames()[3];
    }
    SUBCASE("in its payload") {
        bytes[victim.payload + victim.header.stored_bytes / 2] ^= 0x10;
        write(folder / "b.linn", bytes);
        trace_reader reader{folder / "b.linn"};
        CHECK(events_of(reader).size() == total - victim.header.events);
        CHECK(mentions(reader.info().missing, "1 chunk with"));
    }
    const auto check_stops = [&] {
        write(folder / "b.linn", bytes);
        trace_reader reader{folder / "b.linn"};
        const std::size_t events = events_of(reader).size();
        CHECK(events > 0);
        CHECK(events < total);
        CHECK(mentions(reader.info().missing, "are no frame"));
    };
    SUBCASE("in its header") {
        bytes[victim.payload - frame_header::bytes + 9] ^= 0x10;
        check_stops();
    }
    SUBCASE("with bytes that went missing") {
        const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(victim.payload) + 10;
        bytes.erase(at, at + 100);
        check_stops();
    }
    SUBCASE("with bytes put in") {
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(victim.payload) + 10, 1000, 'x');
        check_stops();
    }
}

TEST_CASE("A recording without a start says so") {
    const scratch_folder folder;
    {
        trace_writer writer;
        REQUIRE(writer.open(folder / "b.linn").empty());
        made_thread t{writer, 1, 100, 1, 100};
        t.allocate(1, 0x1000, 8, 0);
        t.hand_over();
        writer.write_end({});
    }
    trace_reader without_start{folder / "b.linn"};
    CHECK(events_of(without_start).size() == 1);
    CHECK(mentions(without_start.info().missing, "its first frame is missing"));
}

TEST_CASE("A length that promises more than there is takes no memory") {
    const scratch_folder folder;
    trace_writer writer;
    REQUIRE(writer.open(folder / "bomb.linn").empty());
    writer.write_start({});
    writer.write_end({});
    std::vector<char> bytes = content(folder / "bomb.linn");
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

TEST_CASE("A trace of linn 0.2 that holds statistics, events without times, or zero fills, is refused, with "
          "what to do") {
    const scratch_folder folder;
    const auto file = folder / "a.linn";
    SUBCASE("statistics") {
        std::vector<char> bytes(trace_magic.begin(), trace_magic.end());
        bytes.insert(bytes.end(), {1, 0, 0, 0, 0, 0, 0, 0});
        frame_header header;
        header.kind = frame_kind::aggregate;
        header.payload_crc = crc_of({});
        const auto packed = header.pack();
        bytes.insert(bytes.end(), packed.begin(), packed.end());
        write(file, bytes);
    }
    SUBCASE("events without times, or fills only") {
        trace_writer writer;
        REQUIRE(writer.open(file).empty());
        recording_start start;
        SUBCASE("by --clock") {
            start.clock = "every8";
        }
        SUBCASE("by --fills") {
            start.contents = "fills";
        }
        writer.write_start(start);
        writer.write_end({});
    }
    SUBCASE("zero fills among other events") {
        {
            made_trace trace{folder / "made.linn"};
            trace.thread(1, 100, 1, 100).fail(1, 8, 0);
        }
        trace_file read{folder / "made.linn"};
        trace_writer writer;
        REQUIRE(writer.open(file).empty());
        std::vector<unsigned char> payload;
        for (frame_place place : read.frames()) {
            REQUIRE(read.payload(place, payload));
            if (place.header.kind == frame_kind::chunk) {
                REQUIRE(payload[sizeof(wire::chunk_header)] == static_cast<int>(wire::entry::failure));
                payload[sizeof(wire::chunk_header)] = 5; // a zero fill
            }
            place.header.codec = frame_codec::stored;
            place.header.describe(payload);
            writer.write_chunk(place.header, payload);
        }
    }
    CHECK(refusal(file).find("record the program again") != std::string::npos);
}

} // namespace linn::tool::trace_reader_tests
