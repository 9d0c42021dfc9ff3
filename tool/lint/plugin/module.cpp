// SPDX-License-Identifier: Apache-2.0
// What clang-tidy finds when it loads the plugin.
#include "clang-tidy/ClangTidyModule.h"
#include "clang-tidy/ClangTidyModuleRegistry.h"
#include "overwritten_fill_check.hpp"
#include "zero_fill_check.hpp"
#include "zero_fill_return_check.hpp"

namespace clang::tidy::linn {
namespace {

class module : public ClangTidyModule {
public:
    void addCheckFactories(ClangTidyCheckFactories& to) override {
        to.registerCheck<zero_fill_check>("linn-zero-fill");
        to.registerCheck<overwritten_fill_check>("linn-overwritten-fill");
        to.registerCheck<zero_fill_return_check>("linn-zero-fill-return");
    }
};

const ClangTidyModuleRegistry::Add<module> registered("linn-module", "Zero fills that nobody asked for.");

} // namespace

} // namespace clang::tidy::linn
