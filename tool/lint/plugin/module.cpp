// SPDX-License-Identifier: Apache-2.0
// What clang-tidy finds when it loads the plugin.
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"
#include "zero_fill_check.hpp"
#include "zero_fill_return_check.hpp"

namespace linn_tidy {

namespace {

class module : public clang::tidy::ClangTidyModule {
public:
    void addCheckFactories(clang::tidy::ClangTidyCheckFactories& to) override {
        to.registerCheck<zero_fill_check>("linn-zero-fill");
        to.registerCheck<zero_fill_return_check>("linn-zero-fill-return");
    }
};

const clang::tidy::ClangTidyModuleRegistry::Add<module> registered("linn-module",
                                                                   "Zero fills that nobody asked for.");

} // namespace

} // namespace linn_tidy
