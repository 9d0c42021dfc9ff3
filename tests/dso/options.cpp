// SPDX-License-Identifier: Apache-2.0
// Promise: modules whose pools of one type have different options live side by side. Objects go back through the module
// that made them; one that is freed to the other's pool is noticed, named and not lost.
//
// Breaks when the geometry of one pool is applied to slabs of another: then a wrong free damages a slab. So after each wrong
// free the right one must work, and all counts must come to nothing.
//
// The same for a plugin that was built with other checks than the host: its pools are other types, so what the linker or
// the loader makes one must not be one.
#include "misuse_recorder.hpp"
#include "module.hpp"

#include <string_view>

using namespace linn_test;

namespace {

void right_frees(const plugin_functions& plugin) {
    for (const bool other_thread : {false, true}) {
        const std::vector<exchanged_item*> theirs = make_some(plugin.make);
        const std::vector<exchanged_item*> ours = make_some(&make_here);
        const auto free_all = [&] {
            destroy_all(theirs, plugin.destroy);
            destroy_all(ours, &destroy_here);
        };
        if (other_thread) {
            in_a_thread(free_all);
        } else {
            free_all();
        }
    }
}

/// The host frees an object of the plugin.
void wrong_free(const plugin_functions& plugin, bool pools_are_known) {
    exchanged_item* theirs = plugin.make(7);
    exchanged_item* ours = make_here(8);
    misuse_recorder recorder;
    destroy_here(theirs);
    linn::pool<exchanged_item>::trim(); // a release build notices when objects come back to their slabs
    const std::vector<misuse_recorder::entry> seen = recorder.take();
    CHECK(seen.size() == 1);
    CHECK(seen[0].address == theirs);
    // Where modules do not see each other's pools, and look for headers of slabs at other places, it is a stranger.
    CHECK(seen[0].kind == linn::misuse_kind::wrong_pool ||
          (!pools_are_known && seen[0].kind == linn::misuse_kind::foreign_pointer));
    CHECK(theirs->number == 7 || linn::detail::checked_build);
    plugin.destroy(theirs);
    destroy_here(ours);
    CHECK(recorder.take().empty());
}

} // namespace

int main(int argc, char** argv) {
    CHECK(argc == 4);
    const std::string_view how{argv[3]}; // known to each other, apart, or of another build
    CHECK(how == "known" || how == "apart" || how == "other_build");
    module plugin{argv[1]};
    right_frees(*plugin.f);
    // Without slabs a pool that does not know the other's may free its objects.
    if ((in_slabs() && how == "apart") || how == "known") {
        wrong_free(*plugin.f, how == "known");
    }
    right_frees(*plugin.f);
    linn::pool<exchanged_item>::trim();
    plugin.f->trim();
    CHECK_AT_MOST(live_here(), 0);
    CHECK_AT_MOST(plugin.f->live(), 0);
}
