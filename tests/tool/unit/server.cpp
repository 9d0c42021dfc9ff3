// SPDX-License-Identifier: Apache-2.0
// Runs of a server with a client: the time is the client's, the resources are the server's.
#include "programs.hpp"
#include "unit.hpp"

namespace linn::tool::server_tests {

using namespace linn::tool::testing;
using namespace std::chrono_literals;
using ending = observation::ending;

/// A server that makes a file when it is ready.
launch_spec server(const scratch_folder& folder) {
    const std::string file = (folder / "ready").string();
    launch_spec spec = spec_of(victim(), {"serve", file});
    spec.ready = "test -e " + file;
    spec.client = "true";
    return spec;
}

TEST_CASE("a server ends well by the SIGTERM that it gets after its client") {
    const scratch_folder folder;
    launch_spec spec = server(folder);
    spec.client = "exec " + victim().string() + " touch 40";
    const observation o = run(spec);
    CHECK(o.how == ending::exited);
    CHECK(o.code == 0);
    CHECK(o.output == "served\n");
    CHECK(o.values.at("wall_ns") > 0);
    CHECK(o.values.at("peak_rss_bytes") < 20 << 20); // the client's memory does not count

    spec = spec_of(victim(), {"hang", (folder / "hangs").string()}); // dies of SIGTERM
    spec.ready = "test -e " + (folder / "hangs").string();
    spec.client = "true";
    CHECK(describe_ending(run(spec), spec) == "exit status 0");
}

TEST_CASE("the client runs without the preload") {
    const scratch_folder folder;
    launch_spec spec = server(folder);
    spec.library = built_file("liblinn_tool_malloc_only.so");
    spec.client = "test -z \"$LD_PRELOAD$LINN_PROBE\"";
    CHECK(run(spec).how == ending::exited);
}

TEST_CASE("a client that fails is named with its status and last words") {
    const scratch_folder folder;
    launch_spec spec = server(folder);
    spec.client = "echo no answer; exit 3";
    const observation o = run(spec);
    CHECK(o.how == ending::client_failed);
    CHECK(describe_ending(o, spec) == "its client failed with exit status 3: no answer");
}

TEST_CASE("a server that does not become ready is ended, with the last answer") {
    const scratch_folder folder;
    launch_spec spec = server(folder);
    spec.ready = "echo not yet; false";
    spec.timeout = 1s;
    const observation o = run(spec);
    CHECK(o.how == ending::never_ready);
    CHECK(describe_ending(o, spec) == "was not ready in 1 s: not yet");
}

TEST_CASE("a client that hangs is ended at the time limit") {
    const scratch_folder folder;
    launch_spec spec = server(folder);
    spec.timeout = 1s;
    spec.client = "exec " + victim().string() + " hang " + (folder / "client").string();
    CHECK(run(spec).how == ending::timed_out);
    CHECK((!std::filesystem::exists(folder / "client") || !runs(folder / "client")));
}

TEST_CASE("a client may end the server as its last act") {
    const scratch_folder folder;
    const std::string pid = (folder / "pid").string();
    launch_spec spec =
        spec_of("/bin/sh", {"-c", "trap 'exit 0' TERM; echo $$ > " + pid + "; while :; do sleep 0.01; done"});
    spec.ready = "test -s " + pid;
    spec.client = "kill $(cat " + pid + "); sleep 0.1";
    CHECK(describe_ending(run(spec), spec) == "exit status 0");
}

TEST_CASE("a server that ends before its client is told from one that serves") {
    const scratch_folder folder;
    launch_spec spec = spec_of(victim(), {"exit", "0"});
    spec.ready = "false";
    spec.client = "true";
    CHECK(describe_ending(run(spec), spec) ==
          "the program ended with exit status 0 before its client had finished");
    spec.arguments = {"victim", "exit", "7"};
    CHECK(run(spec).how == ending::exited);
    CHECK(run(spec).code == 7);
    spec.arguments = {"victim", "crash"};
    CHECK(run(spec).how == ending::signalled);
    // A client that hangs is ended with it.
    spec.ready.clear();
    spec.client = "exec " + victim().string() + " hang " + (folder / "client").string();
    CHECK(run(spec).how == ending::signalled);
    CHECK((!std::filesystem::exists(folder / "client") || !runs(folder / "client")));
}

} // namespace linn::tool::server_tests
