// SPDX-License-Identifier: Apache-2.0
#include "value_flow.hpp"

#include "clang/Analysis/CFG.h"
#include "object_uses.hpp"
#include "syntax.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace clang::tidy::linn {
namespace {

/// More states than a function worth reading has; beyond, nothing is claimed.
constexpr std::size_t most_states = 4096;

using parts = std::set<member_path>;

bool covered(const member_path& path, const parts& by) {
    return std::any_of(by.begin(), by.end(), [&](const member_path& one) {
        return path.size() >= one.size() && std::equal(one.begin(), one.end(), path.begin());
    });
}

/// Walks all ways from the creation and notes what happens to the object on each.
class walk {
public:
    walk(const creation& made, const std::vector<filled_member>& members, const object_uses& uses,
         ASTContext& context)
        : made_{made},
          members_{members},
          uses_{uses},
          context_{context},
          first_{uses.first()},
          total_{uses.total()} {
        result_.is_held = true;
    }

    value_flow run(const FunctionDecl& function) {
        CFG::BuildOptions options;
        options.setAllAlwaysAdd();
        options.AddInitializers = true;
        const std::unique_ptr<CFG> graph = CFG::buildCFG(&function, function.getBody(), &context_, options);
        value_flow unknown;
        unknown.uncertain = true;
        if (!graph) {
            return unknown;
        }
        std::set<const Stmt*> in_graph;
        const CFGBlock* first = nullptr;
        std::size_t index = 0;
        for (const CFGBlock* block : *graph) {
            std::size_t i = 0;
            for (const CFGElement& element : *block) {
                ++i;
                if (const auto statement = element.getAs<CFGStmt>()) {
                    in_graph.insert(statement->getStmt());
                    if (first == nullptr && is_creation(*statement->getStmt())) {
                        start_ = statement->getStmt();
                        first = block;
                        index = i;
                    }
                }
            }
        }
        if (first == nullptr) {
            return unknown;
        }
        for (const object_use& use : uses_.uses()) {
            const Stmt* at = use.at;
            while (at != nullptr && in_graph.count(at) == 0 && at->child_begin() != at->child_end() &&
                   isa<ExprWithCleanups, CXXRewrittenBinaryOperator, ParenExpr>(at)) {
                at = *at->child_begin();
            }
            if (in_graph.count(at) == 0) {
                const Stmt* inner = at;
                at = nullptr;
                climb(*inner, context_, [&](const DynTypedNode& around) { // also out of a lambda's body
                    const auto* statement = around.get<Stmt>();
                    at = statement != nullptr && in_graph.count(statement) != 0 ? statement : nullptr;
                    return at == nullptr;
                });
            }
            if (at == nullptr) {
                return unknown;
            }
            by_statement_[at].push_back(&use);
        }
        for (auto& [at, there] : by_statement_) {
            std::stable_sort(there.begin(), there.end(),
                             [](const object_use* a, const object_use* b) { return rank(*a) < rank(*b); });
        }
        pending_.push_back({first, index, {}, {}});
        while (!pending_.empty()) {
            state next = std::move(pending_.back());
            pending_.pop_back();
            if (!go(std::move(next))) {
                return unknown;
            }
        }
        result_.outcome = !result_.reads.empty() ? fate::read : escaped_ ? fate::escapes : fate::unread;
        return result_;
    }

private:
    struct state {
        const CFGBlock* block = nullptr;
        std::size_t index = 0;
        parts written{};
        parts begun{};
        byte_set bytes{};
    };

    /// What happens in a lambda stands for all calls of it: a read there comes first.
    static int rank(const object_use& use) {
        return use.before_all ? 0 : use.kind == use_kind::escape ? 3 : use.kind == use_kind::write ? 2 : 1;
    }

    bool is_creation(const Stmt& statement) const {
        const auto* declaration = dyn_cast<DeclStmt>(&statement);
        return &statement == made_.expression ||
               (declaration != nullptr && made_.variable != nullptr &&
                std::find(declaration->decl_begin(), declaration->decl_end(), made_.variable) !=
                    declaration->decl_end());
    }

    /// One block to its end. False when there are too many states.
    bool go(state now) {
        std::size_t i = 0;
        for (const CFGElement& element : *now.block) {
            if (i++ < now.index) {
                continue;
            }
            const auto statement = element.getAs<CFGStmt>();
            if (!statement) {
                continue;
            }
            if (statement->getStmt() == start_) {
                return true; // a new object, the next round of a loop
            }
            const auto here = by_statement_.find(statement->getStmt());
            if (here == by_statement_.end()) {
                continue;
            }
            for (const object_use* use : here->second) {
                if (settled(*use, now)) {
                    return true;
                }
            }
        }
        if (now.block->succ_empty()) {
            escaped_ = escaped_ || uses_.outlives();
            return true;
        }
        for (const CFGBlock::AdjacentBlock& successor : now.block->succs()) {
            const CFGBlock* block = successor.getReachableBlock();
            if (block == nullptr ||
                !seen_.insert({block->getBlockID(), now.written, now.begun, now.bytes}).second) {
                continue;
            }
            if (seen_.size() > most_states) {
                return false;
            }
            pending_.push_back({block, 0, now.written, now.begun, now.bytes});
        }
        return true;
    }

    /// Whether a use ends this way's story.
    bool settled(const object_use& use, state& now) {
        switch (use.kind) {
        case use_kind::end:
            return true;
        case use_kind::write:
            if (use.bytes) {
                add_bytes(*use.bytes, now);
            } else {
                now.written.insert(use.path);
            }
            break;
        case use_kind::bulk_write:
            now.begun.insert(use.path);
            result_.handed_out = true;
            break;
        case use_kind::cut:
            if (now.begun.count(use.path) != 0) {
                now.written.insert(use.path);
            }
            break;
        case use_kind::read:
        case use_kind::modify:
        case use_kind::view:
            if (covered(use.path, now.written) ||
                (use.bytes && now.bytes.contains(use.bytes->start, use.bytes->end()))) {
                break;
            }
            if (covered(use.path, now.begun)) {
                // How far the function wrote is not known.
                result_.uncertain = true;
                escaped_ = true;
            } else if (use.kind == use_kind::view && use.path.empty() && !members_.empty()) {
                // Of a class a look may be at the members that are initialised.
                result_.uncertain = true;
                escaped_ = true;
                break;
            } else {
                add_read(use);
            }
            now.written.insert(use.path);
            break;
        case use_kind::escape:
            if (!covered(use.path, now.written)) {
                escaped_ = true;
                result_.handed_out = result_.handed_out || use.by_call;
            }
            now.written.insert(use.path);
            break;
        }
        return all_written(now.written);
    }

    /// Bytes that make up the whole, or a member, are the whole, or the member.
    void add_bytes(const region& bytes, state& now) {
        now.bytes.add(bytes);
        if (now.bytes.contains(first_, total_)) {
            now.written.insert(member_path{});
            return;
        }
        for (const filled_member& member : members_) {
            polynomial start;
            for (const FieldDecl* field : member.path) {
                start = start + static_cast<std::int64_t>(context_.getFieldOffset(field) / 8);
            }
            const auto size = context_.getTypeSizeInChars(member.path.back()->getType()).getQuantity();
            if (!made_.array && in_first_base(member.path) && now.bytes.contains(start, start + size)) {
                now.written.insert(member.path);
            }
        }
    }

    /// Whether the offset of the path is that of its fields: no base class shifts them.
    bool in_first_base(const member_path& path) const {
        const auto* record = made_.object->getAsRecordDecl();
        return record != nullptr && path.front()->getParent() == record->getDefinition();
    }

    bool all_written(const parts& written) const {
        if (members_.empty()) {
            return covered({}, written);
        }
        return std::all_of(members_.begin(), members_.end(),
                           [&](const filled_member& member) { return covered(member.path, written); });
    }

    void add_read(const object_use& use) {
        const SourceLocation where = cast<Expr>(use.reference)->getExprLoc();
        const FieldDecl* member = use.path.empty() ? nullptr : use.path.front();
        if (std::any_of(result_.reads.begin(), result_.reads.end(),
                        [&](const early_read& other) { return other.member == member; })) {
            return;
        }
        result_.reads.push_back({member, where});
    }

    const creation& made_;
    const std::vector<filled_member>& members_;
    const object_uses& uses_;
    ASTContext& context_;
    polynomial first_;
    polynomial total_;
    const Stmt* start_ = nullptr;
    std::map<const Stmt*, std::vector<const object_use*>> by_statement_{};
    std::vector<state> pending_{};
    std::set<std::tuple<unsigned, parts, parts, byte_set>> seen_{};
    value_flow result_{};
    bool escaped_ = false;
};

} // namespace

const FunctionDecl* enclosing_function(const Expr& expression, ASTContext& context) {
    const FunctionDecl* function = nullptr;
    climb(expression, context, [&](const DynTypedNode& around) {
        const auto* lambda = around.get<LambdaExpr>();
        function = lambda != nullptr ? lambda->getCallOperator() : around.get<FunctionDecl>();
        return function == nullptr;
    });
    return function;
}

namespace {

/// The member that an expression initialises in its class.
const FieldDecl* initialised_member(const Expr& expression, ASTContext& context) {
    const FieldDecl* member = nullptr;
    climb(expression, context, [&](const DynTypedNode& around) {
        member = around.get<FieldDecl>();
        return member == nullptr && around.get<VarDecl>() == nullptr;
    });
    return member;
}

} // namespace

value_flow follow_in(const FunctionDecl& function, const creation& made,
                     const std::vector<filled_member>& members, fill_size& sizes, ASTContext& context) {
    object_uses uses(made, sizes, context, &function);
    return uses.find() ? walk(made, members, uses, context).run(function) : value_flow{};
}

value_flow follow(const creation& made, const std::vector<filled_member>& members, fill_size& sizes,
                  ASTContext& context) {
    const FunctionDecl* function = enclosing_function(*made.expression, context);
    const FieldDecl* member = nullptr;
    value_flow result;
    if (function == nullptr) {
        member = initialised_member(*made.expression, context);
    } else if (function->getBody() != nullptr) {
        object_uses uses(made, sizes, context, function);
        if (!uses.find()) {
            return {};
        }
        member = uses.member();
        result = walk(made, members, uses, context).run(*function);
    }
    // A bit set by another function of the class was zero first.
    if (member != nullptr && result.outcome == fate::escapes) {
        object_uses elsewhere(made, sizes, context, nullptr);
        if (elsewhere.modified_by_members(*member)) {
            for (const object_use& use : elsewhere.uses()) {
                if (use.kind == use_kind::modify) {
                    result.outcome = fate::read;
                    result.reads.push_back({use.path.empty() ? nullptr : use.path.front(),
                                            cast<Expr>(use.reference)->getExprLoc()});
                }
            }
        }
    }
    return result;
}

} // namespace clang::tidy::linn
