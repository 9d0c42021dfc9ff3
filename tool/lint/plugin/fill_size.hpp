// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace clang::tidy::linn {

/// A member that default-initialisation leaves alone and value-initialisation fills.
struct filled_member {
    const FieldDecl* field = nullptr;
    std::uint64_t bytes = 0;
};

/// How many bytes of a type the forms of initialisation write. `docs/design/lint.md` has the rules; where
/// a constructor's body is unknown or does more than can be followed, it counts as writing its whole
/// object, so that the result errs towards silence.
class fill_size {
public:
    explicit fill_size(ASTContext& context) : context_{context} {}

    /// Bytes that value-initialisation writes and default-initialisation does not. Of an array, of all
    /// elements. @pre the type is complete and not dependent
    std::uint64_t filled(QualType type);

    /// The members behind `filled`, largest first, those of base classes too; none where the type is no class.
    std::vector<filled_member> members(QualType type);

    std::uint64_t size_of(QualType type) const;

private:
    /// Bytes that default-initialisation writes.
    std::uint64_t written(QualType type);
    std::uint64_t written_of_record(const CXXRecordDecl& record, bool whole_object);
    std::uint64_t written_by(const CXXConstructorDecl& constructor, bool whole_object);
    std::uint64_t written_by(const Expr& initialiser, QualType type, bool whole_object = true);
    std::uint64_t structural(const CXXRecordDecl& record, bool whole_object);
    std::uint64_t own_pointers(const CXXRecordDecl& record) const;
    std::uint64_t whole(const CXXRecordDecl& record, bool whole_object) const;
    std::uint64_t unwritten(const FieldDecl& field);
    void collect(const CXXRecordDecl& record, bool whole_object, std::vector<filled_member>& to);

    ASTContext& context_;
    std::map<std::pair<const CXXRecordDecl*, bool>, std::uint64_t> known_;
    int depth_ = 0;
};

} // namespace clang::tidy::linn
