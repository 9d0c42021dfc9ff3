// SPDX-License-Identifier: Apache-2.0
#include "overwrite.hpp"

#include "bound.hpp"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/SourceManager.h"
#include "syntax.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace clang::tidy::linn {
namespace {

/// A function is given up when its loops and calls take more steps than these.
constexpr int most_steps = 400'000;
constexpr int most_calls = 3;

/// Consecutive bytes of the object, counted from its first.
struct run {
    bound start;
    bound width;
    const Stmt* by = nullptr; ///< the statement that writes them

    bound end() const { return start + width; }
    friend bool operator==(const run& a, const run& b) { return a.start == b.start && a.width == b.width; }
};

using runs = std::vector<run>;

/// Runs that follow each other become one.
runs merged(runs all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto next = std::find_if(all.begin(), all.end(), [&](const run& other) {
            return !(other == all[i]) && all[i].end() == other.start;
        });
        if (next != all.end()) {
            all[i].width = all[i].width + next->width;
            all[i].by = next->by;
            all.erase(next);
            i = static_cast<std::size_t>(-1); // again from the first
        }
    }
    return all;
}

runs without(const runs& all, const runs& others) {
    runs rest;
    std::copy_if(all.begin(), all.end(), std::back_inserter(rest), [&](const run& one) {
        return std::find(others.begin(), others.end(), one) == others.end();
    });
    return rest;
}

enum class level { holder, pointer, lvalue };

/// What an expression has to do with the object: it names its holder, points to a byte of it, or denotes a part of it.
struct place {
    level at = level::holder;
    bound start{};                     ///< bytes from the first
    const FieldDecl* member = nullptr; ///< the outermost
};

/// What is known at a point of the function.
struct state {
    bool is_reachable = true;
    bool is_alive = false; ///< the object was created
    bool is_whole = false; ///< all of it was overwritten, dropped or given away
    runs written;
    std::map<std::string, bound>
        values; ///< of numbers, and where pointers point to, by the key of a variable
    std::map<const ValueDecl*, place> aliases; ///< pointers, iterators and references into the object

    bound value_of(const std::string& key) const {
        const auto found = values.find(key);
        return found != values.end() ? found->second : bound::of(key);
    }
};

/// An operator, built in or overloaded.
struct operation {
    OverloadedOperatorKind what = OO_None;
    const Expr* left = nullptr;
    const Expr* right = nullptr; ///< null where there is one operand only
    bool is_prefix = false;

    bool is_step() const { return what == OO_PlusPlus || what == OO_MinusMinus; }
    bool is_compound() const {
        return what >= OO_PlusEqual && what <= OO_PipeEqual && what != OO_Less && what != OO_Greater;
    }
    bool is_comparison() const {
        return what == OO_EqualEqual || what == OO_ExclaimEqual || what == OO_Less || what == OO_LessEqual ||
               what == OO_Greater || what == OO_GreaterEqual || what == OO_Spaceship;
    }
};

operation operation_of(const Expr* expression) {
    if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
        return {UnaryOperator::getOverloadedOperator(unary->getOpcode()), unary->getSubExpr(), nullptr,
                unary->isPrefix()};
    }
    if (const auto* binary = dyn_cast<BinaryOperator>(expression)) {
        return {BinaryOperator::getOverloadedOperator(binary->getOpcode()), binary->getLHS(),
                binary->getRHS()};
    }
    if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(expression)) {
        return {OO_Subscript, subscript->getBase(), subscript->getIdx()};
    }
    if (const auto* rewritten = dyn_cast<CXXRewrittenBinaryOperator>(expression)) {
        const auto form = rewritten->getDecomposedForm();
        return {BinaryOperator::getOverloadedOperator(form.Opcode), form.LHS, form.RHS};
    }
    const auto* call = dyn_cast<CXXOperatorCallExpr>(expression);
    if (call == nullptr || call->getOperator() == OO_Call || call->getNumArgs() > 2) {
        return {};
    }
    operation found{call->getOperator(), call->getArg(0),
                    call->getNumArgs() == 2 ? call->getArg(1) : nullptr};
    if (found.is_step()) {
        found.is_prefix = found.right == nullptr;
        found.right = nullptr;
    }
    return found;
}

/// How a library function says how much it writes.
enum class amount { bytes, elements, items, end, range, whole };

struct filling_function {
    const char* name;
    unsigned to;      ///< the argument that is written
    unsigned how_far; ///< the argument that says how much
    amount in;
};

constexpr filling_function filling_functions[] = {
    {"memcpy", 0, 2, amount::bytes},       {"memmove", 0, 2, amount::bytes},
    {"memset", 0, 2, amount::bytes},       {"fread", 0, 2, amount::items},
    {"read", 1, 2, amount::bytes},         {"pread", 1, 2, amount::bytes},
    {"recv", 1, 2, amount::bytes},         {"getrandom", 0, 1, amount::bytes},
    {"copy", 2, 0, amount::range},         {"move", 2, 0, amount::range},
    {"transform", 2, 0, amount::range},    {"partial_sum", 2, 0, amount::range},
    {"reverse_copy", 2, 0, amount::range}, {"copy_n", 2, 1, amount::elements},
    {"fill", 0, 1, amount::end},           {"fill_n", 0, 1, amount::elements},
    {"generate", 0, 1, amount::end},       {"iota", 0, 1, amount::end},
    {"generate_n", 0, 1, amount::elements}};

/// Whether a function may only read through a parameter of this type.
bool only_reads(QualType type) {
    const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
    if (const auto* view = dyn_cast_or_null<ClassTemplateSpecializationDecl>(record);
        named(view, {"span", "__normal_iterator", "__wrap_iter"})) {
        const QualType first = view->getTemplateArgs()[0].getAsType();
        return first.isConstQualified() ||
               (first->isPointerType() && first->getPointeeType().isConstQualified());
    }
    return !type->isReferenceType() && !type->isPointerType() ? true
                                                              : type->getPointeeType().isConstQualified();
}

bool is_number(const Expr* expression) {
    return expression->getType().getNonReferenceType()->isIntegralOrEnumerationType();
}

/// Follows the object from statement to statement. Of a loop it tries one turn first, to see what changes by the same amount in
/// each turn; a run of bytes whose start moves by its width then becomes the run that all turns write.
class walk {
public:
    walk(const FunctionDecl& function, const creation& made, const std::vector<filled_member>& members,
         const fill_size& sizes, ASTContext& context)
        : function_{function},
          made_{made},
          sizes_{sizes},
          context_{context},
          each_{static_cast<std::int64_t>(sizes.size_of(made.object))},
          is_class_{!members.empty()} {
        for (const filled_member& member : members) {
            add_target(member);
        }
    }

    object_fate run_all() {
        if (const auto* constructor = dyn_cast<CXXConstructorDecl>(&function_)) {
            for (const CXXCtorInitializer* initialiser : constructor->inits()) {
                initialise_member(*initialiser);
            }
        }
        visit(function_.getBody());
        leave();
        if (is_lost_ || !fate_.is_held) {
            object_fate unknown;
            unknown.uncertain = is_lost_;
            return unknown;
        }
        fate_.outcome = !fate_.reads.empty() ? fate::read : escaped_ ? fate::escapes : fate::unread;
        return fate_;
    }

private:
    // --- Names and numbers ---------------------------------------------------------------------------------------

    bound fresh() { return bound::of("#" + std::to_string(++names_)); }

    static std::string key_of(const ValueDecl& variable) {
        return "v" + std::to_string(reinterpret_cast<std::uintptr_t>(&variable));
    }

    /// A text for a variable, or for a member that a path of members leads to; empty for other expressions.
    std::string key_of(const Expr* expression) const {
        expression = expression->IgnoreParenImpCasts();
        if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
            const auto found = references_.find(reference->getDecl());
            return found != references_.end()           ? found->second
                   : isa<VarDecl>(reference->getDecl()) ? key_of(*reference->getDecl())
                                                        : std::string();
        }
        if (isa<CXXThisExpr>(expression)) {
            return "this";
        }
        if (const auto* member = dyn_cast<MemberExpr>(expression);
            member != nullptr && isa<FieldDecl>(member->getMemberDecl())) {
            const std::string base = key_of(member->getBase());
            return base.empty() ? base : base + "." + member->getMemberDecl()->getNameAsString();
        }
        const operation o = operation_of(expression);
        const bool leads_on = (o.what == OO_Star || o.what == OO_Arrow) && o.right == nullptr &&
                              (isa<UnaryOperator>(expression) || is_smart_pointer(o.left->getType()));
        return leads_on ? key_of(o.left) : std::string();
    }

    void set(const std::string& key, bound to) {
        if (!key.empty()) {
            now_.values[key] = std::move(to);
        }
    }

    /// Something changed a variable or member, and its size.
    void forget(const std::string& key) {
        if (!key.empty()) {
            for (auto& [name, known] : now_.values) {
                known = StringRef(name).starts_with(key + ".") ? fresh() : known;
            }
            now_.values[key] = fresh();
            now_.values[key + ".size"] = fresh();
        }
    }

    /// Bytes from one element to the next.
    std::int64_t unit_of(QualType type) const {
        const QualType element = element_type(type, context_);
        if (element.isNull()) {
            return each_; // an iterator
        }
        return element->isIncompleteType() || element->isDependentType() || element->isFunctionType()
                   ? 1
                   : static_cast<std::int64_t>(sizes_.size_of(element));
    }

    bound value(const Expr* expression) {
        const Expr* plain = expression->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        if (const auto* cast = dyn_cast<ExplicitCastExpr>(plain)) {
            return value(cast->getSubExpr());
        }
        if (!isa<DeclRefExpr, MemberExpr>(plain) || plain->getType().isConstQualified()) {
            if (const auto number = constant(plain, context_)) {
                return static_cast<std::int64_t>(*number);
            }
        }
        if (const std::string key = key_of(plain); !key.empty()) {
            return now_.value_of(key);
        }
        const operation o = operation_of(plain);
        if (o.what == OO_None || o.what == OO_Subscript || o.what == OO_Arrow) {
            const auto* call = dyn_cast<CallExpr>(plain);
            return call != nullptr && o.what == OO_None ? result_of(*call) : fresh();
        }
        if (o.is_step()) {
            return value(o.left) + (!o.is_prefix ? 0 : o.what == OO_PlusPlus ? 1 : -1);
        }
        if (o.right == nullptr) {
            return o.what == OO_Minus ? value(o.left) * -1 : o.what == OO_Plus ? value(o.left) : fresh();
        }
        const auto a = place_of(o.left);
        const auto b = place_of(o.right);
        if (a && b) {
            return (a->start - b->start).divided_by(unit_of(o.left->getType())).value_or(fresh());
        }
        return arithmetic(o.what, value(o.left), value(o.right));
    }

    static bound arithmetic(OverloadedOperatorKind what, const bound& a, const bound& b) {
        std::optional<bound> result;
        if (what == OO_Plus || what == OO_Minus) {
            result = what == OO_Plus ? a + b : a - b;
        } else if (what == OO_Star) {
            result = a * b;
        } else if (what == OO_LessLess && b.constant() && *b.constant() >= 0 && *b.constant() < 32) {
            result = a * (std::int64_t{1} << *b.constant());
        } else if (what == OO_Slash && !(b == bound{})) {
            result = a.divided_by(b);
        }
        return result ? *result : bound::of("(" + a.text() + getOperatorSpelling(what) + b.text() + ")");
    }

    /// `v.size()`, and const functions in general: two calls with equal arguments give equal results.
    bound result_of(const CallExpr& call) {
        const FunctionDecl* function = call.getDirectCallee();
        const bool is_size = named(function, {"size", "length", "ssize"});
        std::string text = function != nullptr ? function->getNameAsString() : std::string();
        if (const auto* method = dyn_cast<CXXMemberCallExpr>(&call)) {
            const std::string key = key_of(method->getImplicitObjectArgument());
            if (key.empty() || !method->getMethodDecl()->isConst()) {
                return fresh();
            }
            if (is_size && call.getNumArgs() == 0) {
                return now_.value_of(key + ".size");
            }
            text = key + "." + text;
        } else if (is_size && call.getNumArgs() == 1 && !key_of(call.getArg(0)).empty()) {
            return now_.value_of(key_of(call.getArg(0)) + ".size");
        } else if (function == nullptr ||
                   (outermost_namespace(*function) != "std" && !function->isConstexpr())) {
            return fresh();
        }
        for (const Expr* argument : call.arguments()) {
            text += "," + value(argument).text();
        }
        return bound::of("(" + text + ")");
    }

    // --- Places --------------------------------------------------------------------------------------------------

    std::optional<place> place_of(const Expr* expression) {
        expression = expression->IgnoreParens();
        if (!now_.is_alive) {
            return std::nullopt;
        }
        if (const auto* full = dyn_cast<FullExpr>(expression)) {
            return place_of(full->getSubExpr());
        }
        if (isa<MaterializeTemporaryExpr, CXXBindTemporaryExpr>(expression)) {
            return place_of(cast<Expr>(*expression->child_begin()));
        }
        if (const auto* cast = dyn_cast<CastExpr>(expression)) {
            return place_of_cast(*cast);
        }
        if (!holder_.empty() && key_of(expression) == holder_) {
            return place{made_.where_it_lies == storage::local ? level::lvalue : level::holder};
        }
        if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
            const auto found = now_.aliases.find(reference->getDecl());
            return found == now_.aliases.end()
                       ? std::nullopt
                       : std::optional{place{found->second.at, now_.value_of(key_of(*reference->getDecl())),
                                             found->second.member}};
        }
        if (const operation o = operation_of(expression); o.what != OO_None) {
            return place_of_operation(o);
        }
        if (const auto* member = dyn_cast<MemberExpr>(expression)) {
            const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
            auto inner = field != nullptr && !field->getType()->isReferenceType()
                             ? place_of(member->getBase())
                             : std::nullopt;
            if (inner) {
                const auto offset = static_cast<std::int64_t>(context_.getFieldOffset(field) / 8);
                inner = place{level::lvalue, inner->start + offset,
                              inner->member != nullptr ? inner->member : field};
            }
            return inner;
        }
        if (const auto* call = dyn_cast<CallExpr>(expression)) {
            return place_of_call(*call);
        }
        // A copy of an iterator, or a view.
        const auto* construction = dyn_cast<CXXConstructExpr>(expression);
        if (construction == nullptr || construction->getNumArgs() == 0 ||
            is_smart_pointer(construction->getType())) {
            return std::nullopt;
        }
        const bool is_view =
            named(construction->getType()->getAsCXXRecordDecl(), {"span", "basic_string_view"});
        const bool is_copy =
            construction->getNumArgs() == 1 || isa<CXXDefaultArgExpr>(construction->getArg(1));
        auto inner = is_view || is_copy ? place_of(construction->getArg(0)) : std::nullopt;
        if (inner && (is_view || inner->at == level::pointer)) {
            inner->at = level::pointer;
            return inner;
        }
        return std::nullopt;
    }

    std::optional<place> place_of_cast(const CastExpr& cast) {
        auto inner = place_of(cast.getSubExpr());
        switch (cast.getCastKind()) {
        case CK_LValueToRValue:
            if (inner && inner->at == level::lvalue) {
                return std::nullopt;
            }
            [[fallthrough]];
        case CK_ArrayToPointerDecay:
            if (inner) {
                inner->at = level::pointer;
            }
            return inner;
        case CK_DerivedToBase:
        case CK_UncheckedDerivedToBase:
            if (inner && inner->at != level::holder) {
                inner->start = inner->start + fresh(); // the check does not look where the base lies
            }
            return inner;
        case CK_BitCast:
        case CK_LValueBitCast:
        case CK_NoOp:
        case CK_ConstructorConversion:
        case CK_UserDefinedConversion:
            return inner;
        default:
            return std::nullopt;
        }
    }

    std::optional<place> place_of_operation(const operation& o) {
        const bool is_sum = (o.what == OO_Plus || o.what == OO_Minus) && o.right != nullptr;
        auto from = place_of(o.left);
        const Expr* by = o.right;
        if (!from && is_sum && o.what == OO_Plus) {
            from = place_of(o.right);
            by = o.left;
        }
        if (!from) {
            return from;
        }
        const std::int64_t unit = unit_of((by == o.left ? o.right : o.left)->getType());
        if (o.what == OO_Subscript && by != nullptr) {
            return place{level::lvalue, from->start + value(by) * unit, from->member};
        }
        if (is_sum && from->at == level::pointer && is_number(by)) {
            return place{level::pointer, from->start + value(by) * (o.what == OO_Plus ? unit : -unit),
                         from->member};
        }
        if (o.is_step() && from->at == level::pointer) {
            return place{level::pointer, from->start + (!o.is_prefix            ? 0
                                                        : o.what == OO_PlusPlus ? unit
                                                                                : -unit)};
        }
        if (by != nullptr) {
            return std::nullopt;
        }
        if (o.what == OO_Star) {
            return place{level::lvalue, from->start, from->member};
        }
        if (o.what == OO_Arrow || (o.what == OO_Amp && from->at == level::lvalue)) {
            return place{level::pointer, from->start, from->member};
        }
        return std::nullopt;
    }

    std::optional<place> place_of_call(const CallExpr& call) {
        const FunctionDecl* function = call.getDirectCallee();
        std::optional<place> from;
        if (const auto* method = dyn_cast<CXXMemberCallExpr>(&call)) {
            from = place_of(method->getImplicitObjectArgument());
        } else if (function != nullptr && outermost_namespace(*function) == "std" && call.getNumArgs() == 1) {
            from = place_of(call.getArg(0));
        }
        if (!from) {
            return from;
        }
        const std::int64_t unit = made_.array ? each_ : 1;
        if (named(function, {"data", "begin", "cbegin", "c_str", "get", "addressof"})) {
            return place{level::pointer, from->start, from->member};
        }
        if (named(function, {"end", "cend"}) && made_.array) {
            return place{level::pointer, total()};
        }
        if (named(function, {"front", "back"})) {
            return place{level::lvalue, named(function, {"front"}) ? from->start : total() - unit};
        }
        if (named(function, {"at"}) && call.getNumArgs() == 1) {
            return place{level::lvalue, from->start + value(call.getArg(0)) * unit};
        }
        return std::nullopt;
    }

    bound total() const { return now_.value_of(holder_ + ".size") * each_; }

    // --- What is written and read --------------------------------------------------------------------------------

    void add_target(const filled_member& member) {
        const auto* record = made_.object->getAsRecordDecl();
        if (record != nullptr && !made_.array && member.field->getParent() == record->getDefinition()) {
            targets_.push_back({static_cast<std::int64_t>(context_.getFieldOffset(member.field) / 8),
                                static_cast<std::int64_t>(sizes_.size_of(member.field->getType()))});
        } else {
            targets_.push_back({bound::of("?"), 1}); // that no run covers
        }
    }

    bool is_covered(const run& target) const {
        const runs all = merged(now_.written);
        return now_.is_whole || std::any_of(all.begin(), all.end(), [&](const run& one) {
                   return (target.start - one.start).is_never_negative() &&
                          (one.end() - target.end()).is_never_negative();
               });
    }

    /// Looks whether all of it is overwritten by now.
    void settle() {
        if (!now_.is_alive || now_.is_whole) {
            return;
        }
        const bool has_all =
            !targets_.empty() &&
            std::all_of(targets_.begin(), targets_.end(), [&](const run& one) { return is_covered(one); });
        now_.is_whole = has_all || is_covered({first_, total() - first_});
        if (now_.is_whole) {
            for (const run& one : now_.written) {
                note_writer(one.by);
            }
        }
    }

    void note_writer(const Stmt* by) {
        if (quiet_ == 0 && by != nullptr &&
            std::find(fate_.writers.begin(), fate_.writers.end(), by) == fate_.writers.end()) {
            fate_.writers.push_back(by);
        }
    }

    void write(const run& bytes) {
        if (now_.is_alive && !now_.is_whole &&
            std::find(now_.written.begin(), now_.written.end(), bytes) == now_.written.end()) {
            now_.written.push_back(bytes);
            settle();
        }
    }

    /// What an assignment to an lvalue writes; a field takes the padding behind it along.
    std::int64_t width_of(const Expr* lvalue) const {
        const QualType type = lvalue->getType().getNonReferenceType();
        const auto* member = dyn_cast<MemberExpr>(lvalue->IgnoreParens());
        const auto* field = member != nullptr ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
        if (type->isIncompleteType() || (field != nullptr && field->isBitField())) {
            return 0;
        }
        if (field == nullptr || field->getParent()->isUnion()) {
            return static_cast<std::int64_t>(sizes_.size_of(type));
        }
        std::uint64_t end = 8 * sizes_.size_of(context_.getRecordType(field->getParent()));
        const std::uint64_t start = context_.getFieldOffset(field);
        for (const FieldDecl* other : field->getParent()->fields()) {
            const std::uint64_t offset = context_.getFieldOffset(other);
            end = offset > start ? std::min(end, offset) : end;
        }
        return static_cast<std::int64_t>((end - start) / 8);
    }

    /// Whether to read these bytes means to read a filled one.
    bool matters(const run& bytes) const {
        const auto first = bytes.start.constant();
        const auto width = bytes.width.constant();
        return targets_.empty() || !first || !width ||
               std::any_of(targets_.begin(), targets_.end(), [&](const run& target) {
                   const auto start = target.start.constant();
                   return !start || (*first < *start + *target.width.constant() && *start < *first + *width);
               });
    }

    void read(const place& from, const bound& width, const Expr* where) {
        const run bytes{from.start, width};
        if (!now_.is_alive || !matters(bytes) || is_covered(bytes)) {
            return;
        }
        if (quiet_ != 0) {
            ++missed_;
            return;
        }
        fate_.reads.push_back({from.member, where->getExprLoc()});
        now_.written.push_back(bytes); // one report is enough
    }

    void read_value(const place& from, const Expr* where) {
        const QualType type = where->getType().getNonReferenceType();
        read(from,
             from.at == level::lvalue ? bound{static_cast<std::int64_t>(sizes_.size_of(type))}
                                      : rest_of(from),
             where);
    }

    bound rest_of(const place& from) const { return total() - from.start; }

    /// A function or a variable gets the object.
    void give_away(const place& what, const Expr* where, bool by_call) {
        if (!now_.is_alive || is_covered({what.start, rest_of(what)})) {
            return;
        }
        if (by_call && what.start != bound{} && made_.array && made_.where_it_lies == storage::pointer) {
            read(what, 1, where); // an element that nothing wrote to is meant to be zero
            return;
        }
        now_.is_whole = true;
        if (quiet_ == 0) {
            escaped_ = true;
            fate_.handed_out = fate_.handed_out || by_call;
        }
    }

    /// A function looks at the object. Of a class it may look at the members that are initialised.
    void view(const place& what, const Expr* where) {
        if (!is_class_ || what.member != nullptr) {
            read(what, rest_of(what), where);
        } else if (now_.is_alive && !now_.is_whole && quiet_ == 0) {
            fate_.uncertain = true;
            escaped_ = true;
        }
    }

    /// The holder gets something else, or ends.
    void drop(const Stmt* by) {
        if (now_.is_alive && !now_.is_whole) {
            now_.is_whole = true;
            note_writer(by);
        }
    }

    // --- The start -----------------------------------------------------------------------------------------------

    void begin(const std::string& holder, bool outlives) {
        holder_ = holder;
        outlives_ = outlives;
        fate_.is_held = true;
        fate_.is_in_loop = fate_.is_in_loop || !exits_.continues.empty();
        first_ = made_.keeps_old ? now_.value_of(holder + ".size") * each_ : bound{};
        const bound count = made_.count              ? bound{static_cast<std::int64_t>(*made_.count)}
                            : made_.count_expression ? value(made_.count_expression)
                                                     : bound{1};
        now_.is_alive = true;
        now_.is_whole = false;
        now_.written.clear();
        now_.aliases.clear();
        set(holder + ".size", count);
    }

    /// Whether an initialiser is what the creation makes, in a pointer class or not.
    bool makes_it(const Expr* expression) const {
        if (made_.where_it_lies != storage::pointer) {
            return false;
        }
        for (int i = 0; i < 8; ++i) {
            expression = expression->IgnoreUnlessSpelledInSource();
            if (expression == made_.expression) {
                return true;
            }
            const auto* cast = dyn_cast<CastExpr>(expression);
            const auto* construction = dyn_cast<CXXConstructExpr>(expression);
            const auto* list = dyn_cast<InitListExpr>(expression);
            if (cast != nullptr) {
                expression = cast->getSubExpr();
            } else if (construction != nullptr && construction->getNumArgs() != 0) {
                expression = construction->getArg(0);
            } else if (list != nullptr && list->getNumInits() == 1) {
                expression = list->getInit(0);
            }
        }
        return false;
    }

    void initialise_member(const CXXCtorInitializer& initialiser) {
        const FieldDecl* member = initialiser.getMember();
        const Expr* init = initialiser.getInit();
        if (member != nullptr && (made_.member == member || makes_it(init))) {
            begin("this." + member->getNameAsString(), true);
            return;
        }
        visit(init);
        if (member != nullptr && is_number(init)) {
            set("this." + member->getNameAsString(), value(init));
        }
    }

    void declare(const VarDecl& variable) {
        const Expr* init = variable.getInit();
        if (init == nullptr) {
            return;
        }
        if (made_.variable == &variable || makes_it(init)) {
            begin(key_of(variable), variable.hasGlobalStorage());
            return;
        }
        if (const auto* lambda = dyn_cast<LambdaExpr>(init->IgnoreUnlessSpelledInSource())) {
            lambdas_[&variable] = lambda;
            return;
        }
        const QualType type = variable.getType();
        if (bind(variable, init)) {
            return;
        }
        visit(init);
        if (is_number(init)) {
            set(key_of(variable), value(init));
        } else if (contiguous_container(type) != nullptr) {
            const auto* construction = dyn_cast<CXXConstructExpr>(init->IgnoreUnlessSpelledInSource());
            const bool has_length = construction != nullptr && construction->getNumArgs() != 0 &&
                                    !construction->isListInitialization() &&
                                    is_number(construction->getArg(0));
            set(key_of(variable) + ".size", has_length ? value(construction->getArg(0)) : fresh());
        }
    }

    bool bind(const ValueDecl& variable, const place& what) {
        const QualType type = variable.getType();
        if (what.at == level::holder && type->isReferenceType()) {
            references_[&variable] = holder_;
            return true;
        }
        if (what.at == level::holder || (what.at == level::lvalue && !type->isReferenceType())) {
            return false; // a copy of the value
        }
        now_.aliases[&variable] = what;
        set(key_of(variable), what.start);
        return true;
    }

    /// Makes a variable or parameter another name for what an expression names. False where it gets a value.
    bool bind(const ValueDecl& variable, const Expr* expression) {
        if (const auto what = place_of(expression)) {
            const bool is_bound = bind(variable, *what);
            if (is_bound) {
                visit_parts(expression);
            }
            return is_bound;
        }
        const QualType type = variable.getType();
        const Expr* plain = expression->IgnoreParenImpCasts();
        const operation o = operation_of(plain);
        const std::string key = key_of(o.what == OO_Amp && o.right == nullptr ? o.left : plain);
        if ((type->isReferenceType() || type->isPointerType()) && !key.empty()) {
            references_[&variable] = key;
            return true;
        }
        return false;
    }

    // --- Paths ---------------------------------------------------------------------------------------------------

    /// The states in which loops, switches and calls are left.
    struct exits {
        std::vector<std::vector<state>> breaks{};
        std::vector<std::vector<state>> continues{};
        std::vector<std::vector<state>> returns{};
    };

    void leave() {
        settle();
        escaped_ =
            escaped_ || (now_.is_reachable && outlives_ && now_.is_alive && !now_.is_whole && quiet_ == 0);
        now_.is_reachable = false;
    }

    state join(state a, const state& b) {
        if (!a.is_reachable || !b.is_reachable) {
            return a.is_reachable ? std::move(a) : b;
        }
        if (a.is_alive && b.is_alive) {
            a.written = a.is_whole   ? b.written
                        : b.is_whole ? a.written
                                     : without(a.written, without(a.written, b.written));
            a.is_whole = a.is_whole && b.is_whole;
        } else if (b.is_alive) {
            a.written = b.written;
            a.is_whole = b.is_whole;
        }
        a.is_alive = a.is_alive || b.is_alive;
        std::map<std::string, bound> values = b.values;
        values.insert(a.values.begin(), a.values.end());
        for (const auto& [key, ignored] : values) {
            const bound known = a.value_of(key);
            a.values[key] = known == b.value_of(key) ? known : fresh();
        }
        a.aliases.insert(b.aliases.begin(), b.aliases.end());
        return a;
    }

    void join_last(std::vector<std::vector<state>>& of) {
        for (const state& other : of.back()) {
            now_ = join(std::move(now_), other);
        }
        of.pop_back();
    }

    void stop(std::vector<std::vector<state>>& at) {
        if (!at.empty()) {
            at.back().push_back(now_);
        }
        now_.is_reachable = false;
    }

    void branches(const Stmt* a, const Stmt* b) {
        state other = now_;
        visit(a);
        std::swap(now_, other);
        visit(b);
        now_ = join(std::move(other), now_);
        settle();
    }

    /// What may run, now or later, or not at all: its reads count, its writes do not.
    void perhaps(const Stmt* body) {
        const state before = now_;
        run_body(body);
        const bool was_given = now_.is_whole && escaped_;
        now_ = before;
        now_.is_whole = now_.is_whole || was_given;
    }

    /// The body of a function or lambda.
    void run_body(const Stmt* body) {
        if (++depth_ > most_calls) {
            is_lost_ = true;
        }
        exits outer;
        std::swap(outer, exits_);
        exits_.returns.emplace_back();
        visit(body);
        join_last(exits_.returns);
        std::swap(outer, exits_);
        --depth_;
    }

    // --- Statements ----------------------------------------------------------------------------------------------

    void visit(const Stmt* statement) {
        if (statement == nullptr || !now_.is_reachable || is_lost_) {
            return;
        }
        is_lost_ = ++steps_ > most_steps;
        if (const auto* expression = dyn_cast<Expr>(statement)) {
            visit_expression(expression->IgnoreParens());
        } else if (const auto* block = dyn_cast<CompoundStmt>(statement)) {
            for (const Stmt* one : block->body()) {
                const auto* expression = dyn_cast<Expr>(one);
                expression != nullptr ? look_past(expression) : visit(one);
            }
        } else if (const auto* declaration = dyn_cast<DeclStmt>(statement)) {
            for (const Decl* one : declaration->decls()) {
                if (const auto* variable = dyn_cast<VarDecl>(one)) {
                    declare(*variable);
                }
            }
        } else if (const auto* choice = dyn_cast<IfStmt>(statement)) {
            visit(choice->getInit());
            visit(choice->getConditionVariableDeclStmt());
            look_past(choice->getCond());
            const auto taken = choice->isConstexpr() ? choice->getNondiscardedCase(context_) : std::nullopt;
            taken ? visit(*taken) : branches(choice->getThen(), choice->getElse());
        } else if (const auto* cases = dyn_cast<SwitchStmt>(statement)) {
            visit_switch(*cases);
        } else if (const auto* counting = dyn_cast<ForStmt>(statement)) {
            visit(counting->getInit());
            repeat({statement, counting->getCond(), counting->getBody(), counting->getInc()});
        } else if (const auto* loop = dyn_cast<WhileStmt>(statement)) {
            repeat({statement, loop->getCond(), loop->getBody()});
        } else if (const auto* last = dyn_cast<DoStmt>(statement)) {
            repeat({statement, nullptr, last->getBody(), last->getCond(), true});
        } else if (const auto* range = dyn_cast<CXXForRangeStmt>(statement)) {
            visit_range(*range);
        } else if (isa<BreakStmt>(statement)) {
            stop(exits_.breaks);
        } else if (isa<ContinueStmt>(statement)) {
            stop(exits_.continues);
        } else if (const auto* leaving = dyn_cast<ReturnStmt>(statement)) {
            visit_return(*leaving);
        } else if (isa<GotoStmt, IndirectGotoStmt, CoroutineBodyStmt>(statement)) {
            is_lost_ = true;
        } else if (const auto* attempt = dyn_cast<CXXTryStmt>(statement)) {
            state before = now_;
            visit(attempt->getTryBlock());
            before.is_alive = before.is_alive || now_.is_alive;
            for (unsigned i = 0; i < attempt->getNumHandlers(); ++i) {
                state after = std::move(now_);
                now_ = before;
                visit(attempt->getHandler(i)->getHandlerBlock());
                now_ = join(std::move(after), now_);
            }
        } else if (const auto* captured = dyn_cast<CapturedStmt>(statement)) {
            visit(captured->getCapturedStmt());
        } else if (const auto* canonical = dyn_cast<OMPCanonicalLoop>(statement)) {
            visit(canonical->getLoopStmt());
        } else if (const auto* directive = dyn_cast<OMPExecutableDirective>(statement)) {
            visit(directive->hasAssociatedStmt() ? directive->getRawStmt() : nullptr);
        } else {
            visit_children(statement);
        }
    }

    void visit_children(const Stmt* statement) {
        for (const Stmt* part : statement->children()) {
            visit(part);
        }
    }

    void visit_switch(const SwitchStmt& choice) {
        visit(choice.getInit());
        visit(choice.getCond());
        const auto* body = dyn_cast<CompoundStmt>(choice.getBody());
        if (body == nullptr) {
            is_lost_ = true;
            return;
        }
        const state before = now_;
        exits_.breaks.emplace_back();
        bool has_default = choice.isAllEnumCasesCovered();
        now_.is_reachable = false;
        for (const Stmt* one : body->body()) {
            while (const auto* label = dyn_cast<SwitchCase>(one)) {
                has_default = has_default || isa<DefaultStmt>(label);
                now_ = join(std::move(now_), before);
                one = label->getSubStmt();
            }
            visit(one);
        }
        if (!has_default) {
            exits_.breaks.back().push_back(before);
        }
        join_last(exits_.breaks);
        settle();
    }

    void visit_return(const ReturnStmt& statement) {
        if (const Expr* what = statement.getRetValue()) {
            const Expr* plain = what->IgnoreUnlessSpelledInSource();
            const auto given = place_of(plain);
            if (!given) {
                visit(what);
            } else if (given->at == level::lvalue && !what->isGLValue()) {
                read_value(*given, plain);
            } else {
                give_away(*given, what, false);
            }
        }
        exits_.returns.empty() ? leave() : stop(exits_.returns);
    }

    // --- Loops ---------------------------------------------------------------------------------------------------

    struct loop_parts {
        const Stmt* statement = nullptr;
        const Expr* condition = nullptr;
        const Stmt* body = nullptr;
        const Expr* step = nullptr;
        bool at_least_once = false;
        std::optional<bound> turns{}; ///< where there is no condition
        std::function<void(const bound&)> on_turn{};
    };

    /// The number of turns, as a fraction.
    struct turn_count {
        bound number;
        bound divisor{1};

        std::optional<bound> times(const bound& each) const { return (each * number).divided_by(divisor); }
    };

    void repeat(const loop_parts& loop) {
        const state entry = now_;
        std::set<std::string> changed;
        for (const Stmt* part :
             {static_cast<const Stmt*>(loop.condition), loop.body, static_cast<const Stmt*>(loop.step)}) {
            note_changes(part, changed);
        }
        // A turn that starts from names shows what changes by the same amount in each.
        const int before = names_;
        std::map<std::string, bound> names;
        for (const std::string& key : changed) {
            now_.values[key] = names[key] = fresh();
        }
        const int missed_before = missed_;
        ++quiet_;
        turn(loop, fresh());
        const bound counter = fresh();
        state looping = entry;
        std::map<std::string, std::optional<bound>> steps;
        for (const auto& [key, name] : names) {
            const bound step = now_.value_of(key) - name;
            if (now_.is_reachable && step.newest() <= before) {
                steps[key] = step;
            }
            looping.values[key] = steps[key] ? entry.value_of(key) + step * counter : fresh();
        }
        if (!entry.is_alive && now_.is_alive) { // the next turn finds what the last one left
            looping.is_alive = made_.container != nullptr;
            looping.is_whole = now_.is_whole;
        } else if (missed_ != missed_before) { // earlier turns may have written what a turn reads
            now_ = looping;
            turn(loop, counter);
            const runs earlier =
                spread(without(now_.written, entry.written), counter, {counter}, loop.statement);
            looping.written.insert(looping.written.end(), earlier.begin(), earlier.end());
        }
        --quiet_;
        now_ = looping;
        const auto turns = loop.turns ? turn_count{*loop.turns} : turns_of(loop.condition, counter);
        exits_.breaks.emplace_back();
        turn(loop, counter);
        state after = std::move(now_);
        now_ = entry;
        const auto sure = turns ? turns->number.constant() : std::nullopt;
        const bool at_least_once = loop.at_least_once || (sure && *sure > 0);
        if (after.is_alive && !entry.is_alive) {
            now_.is_alive = made_.variable == nullptr;
            now_.is_whole = after.is_whole;
        } else if (now_.is_alive && after.is_reachable) {
            now_.is_whole = now_.is_whole || (after.is_whole && (at_least_once || escaped_));
            runs more;
            if (turns) {
                more = spread(without(after.written, looping.written), counter, *turns, loop.statement);
            }
            if (at_least_once) {
                std::copy_if(after.written.begin(), after.written.end(), std::back_inserter(more),
                             [&](const run& one) { return one.start.newest() <= before; });
            }
            now_.written.insert(now_.written.end(), more.begin(), more.end());
        }
        for (const auto& [key, step] : steps) {
            const auto change = turns && step ? turns->times(*step) : std::nullopt;
            now_.values[key] = change ? entry.value_of(key) + *change : fresh();
        }
        now_.is_reachable = loop.condition != nullptr || loop.turns || loop.at_least_once;
        join_last(exits_.breaks);
        settle();
    }

    /// One turn, from the condition to the step.
    void turn(const loop_parts& loop, const bound& counter) {
        const bool is_trial = quiet_ != 0 && exits_.breaks.size() == exits_.continues.size();
        if (is_trial) {
            exits_.breaks.emplace_back();
        }
        exits_.continues.emplace_back();
        if (loop.condition != nullptr) {
            look_past(loop.condition);
        }
        if (loop.on_turn) {
            loop.on_turn(counter);
        }
        visit(loop.body);
        join_last(exits_.continues);
        if (loop.step != nullptr) {
            look_past(loop.step);
        }
        if (is_trial) {
            exits_.breaks.pop_back();
        }
    }

    /// What all turns write, where one turn writes `each`: runs that follow each other without a gap.
    static runs spread(const runs& each, const bound& counter, const turn_count& turns, const Stmt* loop) {
        runs all;
        const std::string name = "#" + std::to_string(counter.newest());
        for (const run& one : merged(each)) {
            const auto stride = one.start.factor_of(name);
            const auto width = stride && !one.width.mentions(name) ? turns.times(*stride) : std::nullopt;
            if (width && *stride == one.width) {
                all.push_back({one.start - *stride * counter, *width, loop});
            } else if (width && *stride == one.width * -1) { // from the end to the start
                all.push_back({one.start - *stride * counter + one.width + *width, *width * -1, loop});
            }
        }
        return all;
    }

    /// How often a condition holds whose sides move by the same amount in each turn.
    std::optional<turn_count> turns_of(const Expr* condition, const bound& counter) {
        if (condition == nullptr) {
            return std::nullopt;
        }
        const Expr* plain = condition->IgnoreParenImpCasts();
        const operation o = operation_of(plain);
        const auto number = [&](const Expr* side) {
            const auto where = place_of(side);
            return where ? where->start : value(side);
        };
        const bool has_sides = o.is_comparison() && o.right != nullptr;
        bound distance = has_sides ? number(o.right) - number(o.left) : value(plain) * -1;
        if (o.what == OO_Greater || o.what == OO_GreaterEqual) {
            distance = distance * -1;
        }
        const auto step = distance.factor_of("#" + std::to_string(counter.newest()));
        if (!step || *step == bound{} || o.what == OO_EqualEqual) {
            return std::nullopt;
        }
        const bound start = distance - *step * counter;
        const bool has_last = o.what == OO_LessEqual || o.what == OO_GreaterEqual;
        const bool is_down = (-1 * *step).is_never_negative();
        return is_down ? turn_count{has_last ? start - *step : start, *step * -1}
                       : turn_count{start * -1, *step};
    }

    void visit_range(const CXXForRangeStmt& loop) {
        visit(loop.getInit());
        const Expr* range = loop.getRangeInit();
        const VarDecl& variable = *loop.getLoopVariable();
        const auto over = place_of(range);
        const auto* array = context_.getAsConstantArrayType(range->getType());
        const std::string key = key_of(range);
        loop_parts all{&loop, nullptr, loop.getBody()};
        all.turns = array != nullptr ? bound{static_cast<std::int64_t>(array->getSize().getZExtValue())}
                    : over           ? now_.value_of(holder_ + ".size")
                    : key.empty()    ? fresh()
                                     : now_.value_of(key + ".size");
        const std::int64_t unit = unit_of(range->getType());
        if (!over) {
            visit(range);
        }
        all.on_turn = [&](const bound& counter) {
            over ? pass_element(variable, {level::lvalue, over->start + counter * unit, over->member}, range)
                 : forget(key_of(variable));
        };
        repeat(all);
    }

    void pass_element(const ValueDecl& variable, const place& element, const Expr* where) {
        if (!bind(variable, element)) {
            read(element, each_, where);
        }
    }

    /// The variables and members that a statement changes.
    void note_changes(const Stmt* statement, std::set<std::string>& keys) const {
        any_part(statement, [&](const Stmt& part) {
            const auto* expression = dyn_cast<Expr>(&part);
            const operation o = expression != nullptr ? operation_of(expression) : operation{};
            std::string key;
            if (o.what == OO_Equal || o.is_compound() || o.is_step() ||
                (o.what == OO_Amp && o.right == nullptr)) {
                key = key_of(o.left);
                keys.insert(key);
            }
            const auto* call = dyn_cast<CallExpr>(&part);
            const FunctionDecl* function =
                call != nullptr && o.what == OO_None ? call->getDirectCallee() : nullptr;
            for (unsigned i = 0;
                 function != nullptr && i < std::min(call->getNumArgs(), function->getNumParams()); ++i) {
                if (is_changed(*function, i)) {
                    keys.insert(key_of(call->getArg(i)));
                    keys.insert(key_of(call->getArg(i)) + ".size");
                }
            }
            if (const auto* method = dyn_cast_or_null<CXXMemberCallExpr>(call);
                method != nullptr && changes_size(*method)) {
                keys.insert(key_of(method->getImplicitObjectArgument()) + ".size");
            }
            keys.erase("");
            return false;
        });
    }

    static bool is_changed(const FunctionDecl& function, unsigned argument) {
        const QualType type = function.getParamDecl(argument)->getType();
        return type->isLValueReferenceType() && !type->getPointeeType().isConstQualified();
    }

    bool changes_size(const CXXMemberCallExpr& call) const {
        return &call != made_.expression && call.getMethodDecl() != nullptr &&
               !call.getMethodDecl()->isConst() &&
               !named(call.getMethodDecl(), {"data", "begin", "end", "at", "front", "back", "get"});
    }

    // --- Expressions ---------------------------------------------------------------------------------------------

    /// An expression whose value, if it is a pointer to the object, is only compared or not used.
    void look_past(const Expr* expression) {
        const auto* cast = dyn_cast<CastExpr>(expression->IgnoreParens());
        const bool is_test = cast != nullptr &&
                             (cast->getCastKind() == CK_PointerToBoolean || cast->getCastKind() == CK_ToVoid);
        const Expr* inner = is_test ? cast->getSubExpr() : expression;
        place_of(inner) ? visit_parts(inner) : visit(inner);
    }

    /// The effects inside of an expression that denotes a place: of `*p++`, `v[f(i)]`.
    void visit_parts(const Expr* expression) {
        expression = expression->IgnoreParenImpCasts();
        const operation o = operation_of(expression);
        if (o.is_step()) {
            move(o.left, o.what == OO_PlusPlus ? 1 : -1);
        } else if (o.what != OO_None) {
            look_past(o.left);
            if (o.right != nullptr) {
                look_past(o.right);
            }
        } else if (!isa<DeclRefExpr, CXXThisExpr>(expression)) {
            for (const Stmt* part : expression->children()) {
                if (const auto* inner = dyn_cast_or_null<Expr>(part)) {
                    const bool is_path = isa<MemberExpr>(inner) && isa<CallExpr>(expression);
                    is_path || !key_of(inner).empty() ? visit_parts(inner) : look_past(inner);
                }
            }
        }
    }

    /// `p += by` of a pointer into the object.
    void move(const Expr* alias, const bound& by) {
        set(key_of(alias), now_.value_of(key_of(alias)) + by * unit_of(alias->getType()));
    }

    void visit_expression(const Expr* expression) {
        const bool is_creation = expression == made_.expression && made_.container != nullptr;
        const auto what = is_creation ? std::nullopt : place_of(expression);
        if (is_creation) {
            visit(cast<CallExpr>(expression)->getArg(0));
            const std::string key = key_of(made_.container);
            is_lost_ = is_lost_ || key.empty();
            begin(key, outlives(made_.container));
        } else if (what) {
            visit_parts(expression);
            give_away(*what, expression, false);
        } else if (const auto* cast = dyn_cast<CastExpr>(expression)) {
            visit_cast(*cast);
        } else if (const operation o = operation_of(expression); o.what != OO_None) {
            visit_operation(o, expression);
        } else if (const auto* choice = dyn_cast<AbstractConditionalOperator>(expression)) {
            look_past(choice->getCond());
            branches(choice->getTrueExpr(), choice->getFalseExpr());
        } else if (const auto* call = dyn_cast<CallExpr>(expression)) {
            visit_call(*call);
        } else if (const auto* construction = dyn_cast<CXXConstructExpr>(expression)) {
            const CXXConstructorDecl& constructor = *construction->getConstructor();
            for (unsigned i = 0; i < construction->getNumArgs(); ++i) {
                constructor.isMoveConstructor() ? visit(construction->getArg(i))
                                                : pass(construction->getArg(i), constructor, i);
            }
        } else if (const auto* lambda = dyn_cast<LambdaExpr>(expression)) {
            perhaps(lambda->getBody());
        } else if (const auto* deletion = dyn_cast<CXXDeleteExpr>(expression)) {
            place_of(deletion->getArgument()) ? drop(nullptr) : visit(deletion->getArgument());
        } else if (isa<DeclRefExpr, MemberExpr, CXXThisExpr>(expression)) {
            visit_name(expression);
        } else if (!isa<UnaryExprOrTypeTraitExpr, CXXNoexceptExpr, CXXTypeidExpr>(
                       expression)) { // which are not evaluated
            visit_children(expression);
            now_.is_reachable = now_.is_reachable && !isa<CXXThrowExpr>(expression);
        }
    }

    /// A mention that is no use of the object: of a lambda, or of an object that the holder is a member of.
    void visit_name(const Expr* expression) {
        const auto* reference = dyn_cast<DeclRefExpr>(expression);
        const auto lambda = reference != nullptr ? lambdas_.find(reference->getDecl()) : lambdas_.end();
        const std::string key = key_of(expression);
        if (lambda != lambdas_.end()) {
            perhaps(lambda->second->getBody());
        } else if (key.empty()) {
            visit_children(expression);
        } else if (contains_holder(key)) {
            give_away({}, expression, false);
        }
    }

    bool contains_holder(const std::string& key) const {
        return now_.is_alive && !key.empty() && StringRef(holder_).starts_with(key + ".");
    }

    static bool outlives(const Expr* container) {
        const Expr* root = container->IgnoreParenImpCasts();
        while (const auto* member = dyn_cast<MemberExpr>(root)) {
            root = member->getBase()->IgnoreParenImpCasts();
        }
        const auto* reference = dyn_cast<DeclRefExpr>(root);
        const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
        return variable == nullptr || !variable->hasLocalStorage() ||
               variable->getType()->isReferenceType() || variable->getType()->isPointerType();
    }

    void visit_cast(const CastExpr& cast) {
        const Expr* inner = cast.getSubExpr();
        const auto what = place_of(inner);
        if (!what) {
            visit(inner);
            return;
        }
        visit_parts(inner);
        if (what->at == level::lvalue && cast.getCastKind() == CK_LValueToRValue) {
            read_value(*what, inner);
        } else if (cast.getCastKind() != CK_PointerToBoolean && cast.getCastKind() != CK_ToVoid) {
            give_away(*what, inner, false);
        }
    }

    void visit_operation(const operation& o, const Expr* expression) {
        const auto* call = dyn_cast<CallExpr>(expression);
        const FunctionDecl* function = call != nullptr ? call->getDirectCallee() : nullptr;
        const unsigned first =
            isa_and_nonnull<CXXMethodDecl>(function) ? 1 : 0; // the argument of the first parameter
        if (o.what == OO_AmpAmp || o.what == OO_PipePipe) {
            look_past(o.left);
            state before = now_;
            look_past(o.right);
            now_ = join(std::move(before), now_);
        } else if (o.what == OO_Equal && o.right != nullptr) {
            visit_assignment(o, expression, function);
        } else if (o.is_compound() || o.is_step()) {
            modify(o);
        } else if (o.what == OO_Amp && o.right == nullptr) {
            visit(o.left);
            forget(key_of(o.left));
        } else if (function != nullptr && !o.is_comparison()) {
            for (unsigned i = 0; i < call->getNumArgs(); ++i) {
                const auto what = i < first ? place_of(call->getArg(i)) : std::nullopt;
                what        ? pass_object(*what, *cast<CXXMethodDecl>(function), call)
                : i < first ? visit(call->getArg(i))
                            : pass(call->getArg(i), *function, i - first);
            }
        } else {
            for (const Expr* side : {o.left, o.right}) {
                const auto what = side != nullptr ? place_of(side) : std::nullopt;
                if (what && what->at == level::holder && contiguous_container(side->getType()) != nullptr) {
                    view(*what, side);
                } else if (side != nullptr) {
                    o.what == OO_Star || o.what == OO_Subscript ? visit(side) : look_past(side);
                }
            }
        }
    }

    void visit_assignment(const operation& o, const Expr* expression, const FunctionDecl* function) {
        const std::string key = key_of(o.left);
        const auto* variable = dyn_cast<DeclRefExpr>(o.left->IgnoreParenImpCasts());
        const auto from = place_of(o.right);
        if (makes_it(o.right)) {
            if (!key.empty()) {
                begin(key, outlives(o.left));
            }
            return;
        }
        if (from && from->at == level::pointer && variable != nullptr && key != holder_) {
            visit_parts(o.right);
            bind(*variable->getDecl(), *from);
            return;
        }
        function != nullptr ? pass(o.right, *function, isa<CXXMethodDecl>(function) ? 0 : 1) : visit(o.right);
        const auto to = place_of(o.left);
        if (to && to->at == level::lvalue) {
            visit_parts(o.left);
            const std::int64_t width = width_of(o.left);
            if (width != 0) {
                write({to->start, width, expression});
            }
        } else if (to && variable != nullptr && now_.aliases.erase(variable->getDecl()) != 0) {
            return; // it points elsewhere now
        } else if (to || contains_holder(key)) {
            drop(expression);
        } else {
            if (key.empty()) {
                visit_children(o.left);
            }
            is_number(o.left) ? set(key, value(o.right)) : forget(key);
        }
    }

    void modify(const operation& o) {
        if (o.right != nullptr) {
            visit(o.right);
        }
        const bound by = o.right != nullptr ? value(o.right) : bound{1};
        const bool is_down = o.what == OO_MinusEqual || o.what == OO_MinusMinus;
        const bool is_sum = is_down || o.what == OO_PlusEqual || o.what == OO_PlusPlus;
        const auto what = place_of(o.left);
        const std::string key = key_of(o.left);
        if (what && what->at == level::pointer && is_sum) {
            move(o.left, is_down ? by * -1 : by);
        } else if (what) {
            visit_parts(o.left);
            read_value(*what, o.left);
        } else {
            if (key.empty()) {
                visit(o.left);
            }
            set(key, is_sum ? now_.value_of(key) + (is_down ? by * -1 : by) : fresh());
        }
    }

    // --- Calls ---------------------------------------------------------------------------------------------------

    void visit_call(const CallExpr& call) {
        const FunctionDecl* function = call.getDirectCallee();
        const auto* method = dyn_cast<CXXMemberCallExpr>(&call);
        const bool is_object = isa<CXXOperatorCallExpr>(call); // the first argument is the function object
        if (const LambdaExpr* lambda = is_object ? lambda_of(call.getArg(0)) : nullptr) {
            look_inside(*lambda->getCallOperator(), call, 1);
        } else if (function == nullptr) {
            for (const Expr* argument : call.arguments()) {
                const auto what = place_of(argument);
                what ? give_away(*what, argument, true) : visit(argument);
            }
            visit(call.getCallee());
        } else if (fills(call, *function) || runs_for_each(call, *function)) {
            return;
        } else if (method != nullptr) {
            visit_method(*method, *method->getMethodDecl());
        } else if (is_object || !is_in_this_file(call, *function) || !look_inside(*function, call, 0)) {
            for (unsigned i = is_object ? 1 : 0; i < call.getNumArgs(); ++i) {
                pass(call.getArg(i), *function, is_object ? i - 1 : i);
            }
        }
        now_.is_reachable = now_.is_reachable && (function == nullptr || !function->isNoReturn());
    }

    const LambdaExpr* lambda_of(const Expr* expression) const {
        const Expr* plain = expression->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        const auto* reference = dyn_cast<DeclRefExpr>(plain);
        const auto found = reference != nullptr ? lambdas_.find(reference->getDecl()) : lambdas_.end();
        return found != lambdas_.end() ? found->second : dyn_cast<LambdaExpr>(plain);
    }

    /// An argument of a function that the check does not look into.
    void pass(const Expr* argument, const FunctionDecl& function, unsigned index) {
        const auto what = place_of(argument);
        const bool is_known = index < function.getNumParams();
        const QualType type = is_known ? function.getParamDecl(index)->getType() : argument->getType();
        const bool is_std = outermost_namespace(function) == "std";
        const bool reads = !is_known || only_reads(type) || named(&function, {"strcat", "strncat"});
        if (!what) {
            const std::string key = key_of(argument);
            if (contains_holder(key) && reads) {
                read({}, total(), argument);
            } else {
                visit(argument);
            }
            if (is_known && is_changed(function, index)) {
                forget(key);
            }
            return;
        }
        visit_parts(argument);
        const bool is_copy =
            isa<CXXConstructorDecl>(function) && cast<CXXConstructorDecl>(function).isCopyConstructor();
        const bool is_element = what->at == level::lvalue && !argument->getType()->isArrayType();
        if (!reads && !(is_std && what->at != level::holder)) {
            give_away(*what, argument, true);
        } else if (is_copy || (is_element && (!is_class_ || what->member != nullptr))) {
            read_value(*what, argument);
        } else {
            view(*what, argument);
        }
    }

    /// A function of the object or of a part of it.
    void pass_object(const place& what, const CXXMethodDecl& method, const Expr* where) {
        method.isConst() ? view(what, where) : give_away(what, where, false);
    }

    void visit_method(const CXXMemberCallExpr& call, const CXXMethodDecl& method) {
        const Expr* object = call.getImplicitObjectArgument();
        const auto what = place_of(object);
        const std::string key = key_of(object);
        if (!what && key == "this" && contains_holder(key) && is_in_this_file(call, method) &&
            look_inside(method, call, 0)) {
            return;
        }
        for (unsigned i = 0; i < call.getNumArgs(); ++i) {
            pass(call.getArg(i), method, i);
        }
        const bool has_length = call.getNumArgs() != 0 && is_number(call.getArg(0));
        const bool is_resize = named(&method, {"resize", "assign"}) && has_length;
        if (!what) {
            contains_holder(key) ? pass_object({}, method, &call) : key.empty() ? visit(object) : void();
            if (is_resize) {
                set(key + ".size", value(call.getArg(0)));
            } else if (changes_size(call) && key != "this") {
                forget(key);
            }
            return;
        }
        visit_parts(object);
        const bool is_container =
            what->at != level::lvalue || is_std_array(object->getType()->getAsCXXRecordDecl());
        if (!is_container) {
            pass_object(*what, method, &call);
        } else if (named(&method, {"fill"})) {
            write({what->start, static_cast<std::int64_t>(sizes_.size_of(object->getType())), &call});
        } else if (named(&method, {"assign", "clear", "reset"})) {
            drop(&call);
        } else if (is_resize) {
            set(holder_ + ".size", value(call.getArg(0)));
        } else if (named(&method, {"push_back", "emplace_back", "append", "insert", "pop_back", "erase"})) {
            read(*what, total(), &call);
            set(holder_ + ".size", fresh());
        } else if (!named(&method,
                          {"size", "length", "empty", "capacity", "max_size", "end", "cend", "reserve",
                           "shrink_to_fit", "get_allocator", "use_count", "get_deleter", "release", "get"}) &&
                   !isa<CXXConversionDecl>(method)) {
            pass_object(*what, method, &call);
        }
    }

    /// Whether a call passes the object, or an object that contains it, to a function that is defined in the same file.
    bool is_in_this_file(const CallExpr& call, const FunctionDecl& function) {
        const FunctionDecl* definition = nullptr;
        const auto* method = dyn_cast<CXXMemberCallExpr>(&call);
        const bool is_given = std::any_of(call.arg_begin(), call.arg_end(), [&](const Expr* argument) {
            return place_of(argument).has_value();
        });
        return now_.is_alive && depth_ < most_calls && (is_given || method != nullptr) &&
               function.hasBody(definition) && definition != &function_ &&
               (method == nullptr || !method->getMethodDecl()->isVirtual()) &&
               context_.getSourceManager().isWrittenInSameFile(definition->getLocation(),
                                                               function_.getLocation());
    }

    /// Goes on in the body of a function that is called.
    bool look_inside(const FunctionDecl& function, const CallExpr& call, unsigned first) {
        const FunctionDecl* definition = &function;
        if (!function.hasBody(definition) || definition->getNumParams() != call.getNumArgs() - first) {
            return false;
        }
        for (unsigned i = first; i < call.getNumArgs(); ++i) {
            const ParmVarDecl& parameter = *definition->getParamDecl(i - first);
            const Expr* argument = call.getArg(i);
            references_.erase(&parameter);
            if (!bind(parameter, argument)) {
                pass(argument, *definition, i - first);
                if (is_number(argument)) {
                    set(key_of(parameter), value(argument));
                }
            }
        }
        run_body(definition->getBody());
        return true;
    }

    /// A function of the C or C++ library that writes a length which it is told.
    bool fills(const CallExpr& call, const FunctionDecl& function) {
        const auto* method = dyn_cast<CXXMethodDecl>(&function);
        const bool is_object = isa<CXXOperatorCallExpr>(call); // `std::ranges::copy` is a function object
        const std::string space = outermost_namespace(function);
        std::string name = function.getDeclName().isIdentifier() ? function.getName().str() : std::string();
        if (is_object && method != nullptr && space == "std") {
            StringRef type = method->getParent()->getName();
            name = type.consume_front("__") && type.consume_back("_fn") ? type.str() : name;
        }
        const bool is_stream =
            method != nullptr && !is_object && named(method, {"read", "sgetn"}) && call.getNumArgs() == 2;
        const auto* known = std::find_if(std::begin(filling_functions), std::end(filling_functions),
                                         [&](const filling_function& one) { return name == one.name; });
        if (!is_stream && (known == std::end(filling_functions) || (!space.empty() && space != "std") ||
                           (method != nullptr && !is_object))) {
            return false;
        }
        filling_function how = is_stream ? filling_function{"read", 0, 1, amount::elements} : *known;
        const unsigned first = is_object ? 1 : 0;
        if (is_object && call.getNumArgs() > 1 &&
            contiguous_container(call.getArg(1)->getType()) != nullptr) {
            how = {how.name, how.in == amount::range ? 1U : 0U, 0, amount::whole};
        }
        how.to += first;
        how.how_far += first;
        const auto to =
            call.getNumArgs() > std::max(how.to, how.how_far) ? place_of(call.getArg(how.to)) : std::nullopt;
        if (!to || !is_long_enough(call, how)) {
            return false;
        }
        const std::optional<bound> width = width_written(call, how, *to);
        for (unsigned i = first; i < call.getNumArgs(); ++i) {
            const bool is_own = i == how.to || (how.in == amount::end && i == how.how_far);
            is_own ? visit_parts(call.getArg(i)) : pass(call.getArg(i), function, i - first);
        }
        const bool was_whole = now_.is_whole;
        width ? write({to->start, *width, &call}) : give_away(*to, &call, true);
        const Expr* filled = name == "memset" ? call.getArg(1) : call.getArg(call.getNumArgs() - 1);
        const bool is_zero_fill =
            (name == "memset" || name == "fill" || name == "fill_n") && constant(filled, context_) == 0;
        fate_.repeats_zeros =
            fate_.repeats_zeros || (is_zero_fill && !was_whole && now_.is_whole && quiet_ == 0);
        return true;
    }

    static bool is_long_enough(const CallExpr& call, const filling_function& how) {
        return how.in != amount::range || call.getNumArgs() > how.how_far + 2;
    }

    std::optional<bound> width_written(const CallExpr& call, const filling_function& how, const place& to) {
        const Expr* how_far = call.getArg(how.how_far);
        const std::int64_t each = unit_of(call.getArg(how.to)->IgnoreParenImpCasts()->getType());
        switch (how.in) {
        case amount::bytes:
            return value(how_far);
        case amount::elements:
            return value(how_far) * each;
        case amount::items:
            return value(how_far) * value(call.getArg(how.how_far - 1));
        case amount::end: {
            const auto end = place_of(how_far);
            return end ? std::optional{end->start - to.start} : std::nullopt;
        }
        case amount::range:
            return (position(call.getArg(how.how_far + 1)) - position(how_far)) * each;
        case amount::whole:
            break;
        }
        const std::string key = key_of(how_far);
        return place_of(how_far) ? rest_of(to) : key.empty() ? fresh() : now_.value_of(key + ".size") * each_;
    }

    /// Where a pointer or an iterator into something else points to, in elements.
    bound position(const Expr* pointer) {
        const Expr* plain = pointer->IgnoreUnlessSpelledInSource()->IgnoreParenImpCasts();
        const operation o = operation_of(plain);
        if (o.what == OO_Plus && o.right != nullptr) {
            return is_number(o.right) ? position(o.left) + value(o.right) : position(o.right) + value(o.left);
        }
        if (o.what == OO_Amp && o.right == nullptr) {
            const operation inner = operation_of(o.left->IgnoreParenImpCasts());
            return inner.what == OO_Subscript ? position(inner.left) + value(inner.right) : fresh();
        }
        const auto* call = dyn_cast<CXXMemberCallExpr>(plain);
        const std::string key = key_of(call != nullptr ? call->getImplicitObjectArgument() : plain);
        const bool is_end = call != nullptr && named(call->getMethodDecl(), {"end", "cend", "rend"});
        const bool is_begin =
            call == nullptr || named(call->getMethodDecl(), {"begin", "cbegin", "rbegin", "data"});
        if (key.empty() || (!is_end && !is_begin)) {
            return fresh();
        }
        const bound start = call != nullptr ? bound::of(key + ".begin") : now_.value_of(key);
        return is_end ? start + now_.value_of(key + ".size") : start;
    }

    /// `std::for_each(v.begin(), v.end(), lambda)`, and of a range.
    bool runs_for_each(const CallExpr& call, const FunctionDecl& function) {
        const bool is_object = isa<CXXOperatorCallExpr>(call);
        const bool is_meant =
            named(&function, {"for_each"}) ||
            (is_object && named(cast<CXXMethodDecl>(function).getParent(), {"__for_each_fn"}));
        const LambdaExpr* lambda =
            is_meant && call.getNumArgs() >= 2 ? lambda_of(call.getArg(call.getNumArgs() - 1)) : nullptr;
        const auto first = lambda != nullptr ? place_of(call.getArg(is_object ? 1 : 0)) : std::nullopt;
        if (!first || lambda->getCallOperator()->getNumParams() != 1) {
            return false;
        }
        const auto last = first->at == level::holder ? place{level::pointer, total()}
                                                     : place_of(call.getArg(is_object ? 2 : 1));
        const ParmVarDecl& parameter = *lambda->getCallOperator()->getParamDecl(0);
        loop_parts all{&call, nullptr, lambda->getBody()};
        all.turns = last ? (last->start - first->start).divided_by(each_).value_or(fresh()) : fresh();
        all.on_turn = [&](const bound& counter) {
            pass_element(parameter, {level::lvalue, first->start + counter * each_}, &call);
        };
        exits_.returns.emplace_back();
        repeat(all);
        exits_.returns.pop_back();
        return true;
    }

    const FunctionDecl& function_;
    const creation& made_;
    const fill_size& sizes_;
    ASTContext& context_;
    std::int64_t each_;
    bool is_class_;        ///< of which the filled members are meant
    runs targets_{};       ///< the filled members
    bound first_{};        ///< the first byte that is filled
    std::string holder_{}; ///< the key of what holds the object
    bool outlives_ = false;
    state now_{};
    exits exits_{};
    object_fate fate_{};
    bool escaped_ = false;
    bool is_lost_ = false; ///< something that is not followed
    int quiet_ = 0;        ///< turns of a loop that are tried first
    int missed_ = 0;       ///< reads in them
    int names_ = 0;
    int depth_ = 0;
    int steps_ = 0;
    std::map<const ValueDecl*, std::string> references_{};
    std::map<const ValueDecl*, const LambdaExpr*> lambdas_{};
};

} // namespace

object_fate follow(const FunctionDecl& function, const creation& made,
                   const std::vector<filled_member>& members, const fill_size& sizes, ASTContext& context) {
    return walk(function, made, members, sizes, context).run_all();
}

} // namespace clang::tidy::linn
