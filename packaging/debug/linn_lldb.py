# SPDX-License-Identifier: Apache-2.0
"""lldb's view of Linn. Load it with `command script import linn_lldb.py`, see docs/guide/gdb.md.

Formatters for local_pool, fixed_pool, handle_pool and its handles, recycler, buffer_pool and buffer: what `frame variable`,
`v` and the Variables panes of editors show. The pools have their live objects as children.

Nothing is called in the program, so all of it works on a core file too, and in every ABI namespace (v0_3, v0_3_checked,
v0_3_asan, ...).
"""
import re
import struct

import lldb


# --- reading ----------------------------------------------------------------------------------------

def member(value, path):
    """A member of a member: `slabs_.count_`."""
    for name in path.split("."):
        value = value.GetNonSyntheticValue().GetChildMemberWithName(name)
    return value


def number(value, path=None):
    return (member(value, path) if path else value).GetValueAsUnsigned()


def memory(value, address, count):
    error = lldb.SBError()
    data = value.GetProcess().ReadMemory(address, count, error) if count else b""
    if error.Fail():
        raise RuntimeError(error.GetCString())
    return data


def words(value, address, count):
    """`count` words of 64 bits."""
    return struct.unpack(f"={count}Q", memory(value, address, 8 * count))


def pointers(value, address, count):
    size = value.GetTarget().GetAddressByteSize()
    return struct.unpack("=%d%s" % (count, "Q" if size == 8 else "I"), memory(value, address, size * count))


def atomic(value):
    """What a std::atomic holds, whichever standard library it is of: it is as large as that."""
    size = value.GetByteSize()
    return int.from_bytes(memory(value, value.GetLoadAddress(), size), "little")


def chain(first, link):
    """The elements of a list that ends with null."""
    while number(first):
        element = first.Dereference()
        yield element
        first = member(element, link)


def element_of(value):
    """The type of a pool's objects."""
    return value.GetType().GetUnqualifiedType().GetCanonicalType().GetTemplateArgumentType(0)


def cached_slots(cache):
    """What a slot_cache holds, which its owner may be about to change."""
    bottom, top = number(cache, "bottom"), number(cache, "top")
    size = cache.GetTarget().GetAddressByteSize()
    return pointers(cache, bottom, (top - bottom) // size) if 0 < bottom < top else ()


def out_of(slab):
    """The addresses of slots that a slab has handed out."""
    first, carved = number(slab, "first"), number(slab, "carved")
    slot_bytes = number(slab, "slot_bytes")
    for i, word in enumerate(words(slab, number(slab, "free_slots.words_"), (carved + 63) // 64)):
        for bit in range(min(64, carved - 64 * i)):
            if not word >> bit & 1:
                yield first + (64 * i + bit) * slot_bytes


def elements(array):
    return [array.GetChildAtIndex(i) for i in range(array.GetNumChildren())]


def fronts_of(store):
    """The caches of threads: an array of atomic pointers."""
    for place in elements(member(store, "fronts_.by_number_")):
        address = atomic(place)
        if address:
            front = place.GetType().GetCanonicalType().GetTemplateArgumentType(0).GetPointeeType()
            yield place.CreateValueFromAddress("front", address, front)


def live_and_idle(core):
    """Of a recycler or a buffer pool."""
    idle = number(core, "depot_.count") + sum(len(cached_slots(front)) for front in fronts_of(core))
    return atomic(member(core, "references_")) - 1 - number(core, "waiting_") - idle, idle


def first_number(value):
    """The first of the numbers at the end of a template's arguments; options may stand behind them."""
    name = value.GetType().GetUnqualifiedType().GetCanonicalType().GetName()
    return int(re.search(r"((?:, \d+[uUlL]*)+)(?:, linn::[^<>]*)?>$", name).group(1).split(",")[1].strip(" uUlL"))


def plural(count, thing):
    return f"{count} {thing}" + ("" if count == 1 else "s")


# --- what is shown of each type ----------------------------------------------------------------------

class Objects:
    """The live objects of a pool as children: (name, address) each."""

    def __init__(self, value, _):
        self.value = value.GetNonSyntheticValue()
        self.places = []

    def update(self):
        try:
            self.places = list(self.find())
        except RuntimeError: # memory that cannot be read: the pool is not made yet
            self.places = []
        return False

    def has_children(self):
        return True

    def num_children(self):
        return len(self.places)

    def get_child_index(self, name):
        return next((i for i, place in enumerate(self.places) if place[0] == name), -1)

    def get_child_at_index(self, index):
        if not 0 <= index < len(self.places):
            return None
        name, address = self.places[index]
        return self.value.CreateValueFromAddress(name, address, element_of(self.value))


def cached_of_local(value):
    """The free objects in the cache of a local_pool."""
    places = elements(member(value, "cache_"))
    return [number(place) for place in places[:number(value, "count_.value_")]]


class LocalPool(Objects):
    def find(self):
        cached = set(cached_of_local(self.value))
        slabs = chain(member(self.value, "slabs_.all_.front_"), "older")
        for slab in sorted(slabs, key=lambda s: s.GetLoadAddress()):
            for address in out_of(slab):
                if address not in cached:
                    yield f"[{address:#x}]", address


class HandlePool(Objects):
    def find(self):
        table = member(self.value, "table_")
        index_bits = first_number(table)
        entries = member(table, "entries_")
        entry_type = entries.GetType().GetPointeeType()
        for index in range(number(table, "size_")):
            entry = entries.CreateValueFromAddress("entry", number(entries) + index * entry_type.GetByteSize(), entry_type)
            if number(entry, "object"):
                handle = number(entry, "generation") << index_bits | index
                yield f"[{handle:#x}]", number(entry, "object")


class FixedPool(Objects):
    def find(self):
        storage = member(self.value, "slots_")
        slot_bytes = storage.GetByteSize() // max(1, first_number(self.value))
        out = elements(member(self.value, "out_"))
        for slot in range(number(self.value, "carved_.value_")):
            if number(out[slot // 64]) >> (slot % 64) & 1:
                yield f"[{slot}]", storage.GetLoadAddress() + slot * slot_bytes


def summary_of_local_pool(value):
    cached = len(cached_of_local(value))
    live = number(value, "slabs_.out_") - number(value, "count_.value_")
    return f"{live} live, {cached} cached, {plural(number(value, 'slabs_.count_'), 'slab')}"


def summary_of_handle_pool(value):
    return plural(number(value, "size_"), "object")


def summary_of_pool_handle(value):
    handle = number(value, "value_")
    return f"{handle:#x}" if handle else "null"


def summary_of_fixed_pool(value):
    live = number(value, "carved_.value_") - number(value, "free_count_.value_")
    return f"{live} of {first_number(value)} live"


def summary_of_recycler(value):
    core = member(value, "body_").Dereference()
    (live, idle), waiting, limit = live_and_idle(core), number(core, "waiting_"), number(core, "limit_")
    text = f"{live} live, {idle} idle of at most {atomic(member(core, 'capacity_'))}"
    return text + (f", {limit} in all, {waiting} threads wait" if limit else "")


def summary_of_buffer(value):
    block = member(value, "block_")
    if not number(block):
        return "empty"
    return f"{number(block, 'size')} bytes at {number(block, 'memory.data'):#x}"


def summary_of_buffer_pool(value):
    store = member(value, "store_").Dereference()
    live, idle = live_and_idle(store)
    peak = max(number(store, "peak_"), live) # which the store itself notes at its next look
    return f"buffers of {number(store, 'plan_.bytes')} bytes: {live} live, {idle} idle, peak {peak}"


SUMMARIES = {"local_pool": summary_of_local_pool, "handle_pool": summary_of_handle_pool,
             "pool_handle": summary_of_pool_handle, "fixed_pool": summary_of_fixed_pool, "recycler": summary_of_recycler,
             "buffer": summary_of_buffer, "buffer_pool": summary_of_buffer_pool}
CHILDREN = {"local_pool": LocalPool, "handle_pool": HandlePool, "fixed_pool": FixedPool}


def summary(value, _):
    """Of any type above. A value that is not there yet has none."""
    name = re.search(r"^linn::v\d\w*::(\w+)", value.GetType().GetUnqualifiedType().GetCanonicalType().GetName()).group(1)
    try:
        return SUMMARIES[name](value.GetNonSyntheticValue())
    except (RuntimeError, AttributeError, IndexError) as error:
        return f"<unreadable: {error}>"


def __lldb_init_module(debugger, _):
    for name in SUMMARIES:
        expand = "--expand " if name in CHILDREN else ""
        debugger.HandleCommand(f"type summary add {expand}-w linn -F {__name__}.summary -x '^linn::v[0-9][a-z0-9_]*::{name}(<.*>)?$'")
    for name, children in CHILDREN.items():
        debugger.HandleCommand(f"type synthetic add -w linn -l {__name__}.{children.__name__} "
                               f"-x '^linn::v[0-9][a-z0-9_]*::{name}<.*>$'")
    debugger.HandleCommand("type category enable linn")
