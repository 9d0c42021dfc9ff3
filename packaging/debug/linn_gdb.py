# SPDX-License-Identifier: Apache-2.0
"""gdb's view of Linn. Load it with `source linn_gdb.py`, see docs/guide/gdb.md.

    linn pools [REGEX]        every pool of the process: objects alive, peak, cached, slabs
    linn live TYPE [COUNT]    the addresses of the objects that are alive in the pools of TYPE
    linn owner ADDRESS        the pool and slot that an address lies in, and whether it is live or free

and printers for local_pool, fixed_pool, handle_pool and its handles, recycler, buffer_pool, buffer and allocator.

Nothing is called in the program, so all of it works on a core file too. Names are looked up in every ABI
namespace (v0_3, v0_3_checked, v0_3_asan, ...) and in every module, since each may have pools of its own.
"""
import re
import struct

import gdb
import gdb.printing

MAGIC = 0x6C696E6E706F6F6C  # slab::magic_value
LIVE, FREE = 0x6F626A216C697665, 0x6F626A2166726565  # what a slot_record's state is mixed from
REGISTRY = "linn::{0}::detail::registry<linn::{0}::detail::platform>::process_"
RECYCLERS = ("linn::{0}::detail::fork_registry<linn::{0}::detail::idle_core<linn::{0}::detail::platform, "
             "linn::{0}::detail::recycler_core<linn::{0}::detail::platform> >, linn::{0}::detail::mutex>::process_")
ABI = re.compile(r"linn::(v\d\w*)::detail::registry<linn::\1::detail::platform>::process_")
SERVICE_CACHED, SERVICE_DIRECT, SERVICE_BYPASS = 0, 1, 2


# --- reading ----------------------------------------------------------------------------------------

def atomic(value):
    """What a std::atomic holds, whichever standard library it is of."""
    held = value.type.strip_typedefs().template_argument(0)
    return value.address.cast(held.pointer()).dereference()


def text(label):
    """The characters of a type_label."""
    return label["text"].string(length=int(label["size"])) if int(label["size"]) else ""


def memory(address, count):
    return gdb.selected_inferior().read_memory(address, count).tobytes()


def words(address, count):
    """`count` words of 64 bits."""
    return struct.unpack(f"={count}Q", memory(address, 8 * count)) if count else ()


def pointers(address, count):
    if not count:
        return ()
    size = gdb.lookup_type("void").pointer().sizeof
    return struct.unpack("=%d%s" % (count, "Q" if size == 8 else "I"), memory(address, size * count))


def cached_slots(cache):
    """What a slot_cache holds, which its owner may be about to change."""
    bottom, top = int(cache["bottom"]), int(cache["top"])
    return pointers(bottom, (top - bottom) // gdb.lookup_type("void").pointer().sizeof) if 0 < bottom < top else ()


def chain(first, link):
    """The elements of a list that ends with null."""
    while int(first):
        yield first.dereference()
        first = first[link]


class Slab:
    """A copy of what a slab's header says."""

    def __init__(self, value, geometry=None):
        self.geometry = geometry
        self.address = int(value.address)
        self.first = int(value["first"])
        self.end = self.address + int(value["mapped_bytes"])
        self.capacity = int(value["capacity"])
        self.carved = int(value["carved"])
        self.slot_bytes = int(value["slot_bytes"])
        self.words = int(value["free_slots"]["words_"])

    def contains(self, address):
        return self.address <= address < self.end

    def is_free(self, index):
        return bool(words(self.words + index // 64 * 8, 1)[0] >> (index % 64) & 1)

    def out(self):
        """The addresses of slots that the slab has handed out, to the program or to a thread's cache."""
        for number, word in enumerate(words(self.words, (self.carved + 63) // 64)):
            taken = ~word & (1 << min(64, self.carved - 64 * number)) - 1
            while taken:
                lowest = taken & -taken
                yield self.first + (64 * number + lowest.bit_length() - 1) * self.slot_bytes
                taken ^= lowest


def slabs_of(slab_set):
    return [Slab(value, slab_set["geometry_"]) for value in chain(slab_set["all_"]["front_"], "older")]


class Pool:
    """The depots of a linn::pool, its homes; `depot` is the primary one."""

    def __init__(self, depot, homes, abi):
        self.depot = depot
        self.homes = homes
        self.abi = abi
        self.type = text(depot["description_"]["type"])
        self.object_bytes = int(depot["description_"]["sizes"]["object_bytes"])
        self.mode = int(depot["mode_"])
        self.out = sum(int(home["stock_"]["slabs_"]["out_"]) for home in homes)
        self.peak = sum(int(home["stock_"]["slabs_"]["peak_"]) for home in homes)
        self.slab_count = sum(int(home["stock_"]["slabs_"]["count_"]) for home in homes)
        self.lost = sum(int(home["stock_"]["lost_"]) for home in homes)
        self.threads = sum(1 for _ in self.fronts())
        self.cached = sum(len(objects) for _, objects in self.thread_caches())
        self.live = max(0, self.out - self.cached - self.lost)
        if self.mode == SERVICE_BYPASS:
            self.live = int(depot["bypass_"]["objects_"]["size_"])
            self.peak = int(depot["bypass_"]["peak_"])
        self.idle = set()

    def add_idle(self, slots):
        """For the pool, objects that are idle in a recycler are out; for the program they are cached."""
        self.idle |= slots
        self.live = max(0, self.live - len(slots))
        self.cached += len(slots)

    def slabs(self):
        return [slab for home in self.homes for slab in slabs_of(home["stock_"]["slabs_"])]

    def fronts(self):
        for home in self.homes:
            yield from chain(home["stock_"]["fronts_"]["front_"], "next_in_depot")

    def thread_caches(self):
        """(thread, free objects that it keeps) for each thread that uses the pool."""
        for front in self.fronts():
            yield int(front["thread"]), list(cached_slots(front))

    def cache_of(self):
        """Free object -> who keeps it."""
        held = {}
        for thread, objects in self.thread_caches():
            held.update(dict.fromkeys(objects, "in the cache of " + thread_name(thread)))
        held.update(dict.fromkeys(self.idle, "idle in its recycler"))
        return held

    def blocks(self):
        """Under a memory checker: the objects, each a block of operator new, in order of address."""
        table = self.depot["bypass_"]["objects_"]
        word = table["table_"].type.target().sizeof
        inverted = pointers(int(table["table_"]), int(table["capacity_"]))
        return sorted(p ^ (1 << 8 * word) - 1 for p in inverted if p)

    def live_objects(self):
        if self.mode == SERVICE_BYPASS:
            yield from (block for block in self.blocks() if block not in self.idle)
            return
        cached = self.cache_of()
        for slab in sorted(self.slabs(), key=lambda s: s.address):
            for address in slab.out():
                if address not in cached:
                    yield address


def thread_name(pthread):
    """gdb's number of a thread, where gdb knows it."""
    for thread in gdb.selected_inferior().threads():
        try:
            if int.from_bytes(thread.handle(), "little") == pthread:
                return f"thread {thread.num}"
        except (AttributeError, gdb.error, RuntimeError):
            break
    return f"thread {pthread:#x}"


abi_names_of = {}  # modules -> names: the search reads the symbols of the whole program


def abi_names():
    modules = tuple(module.filename for module in gdb.objfiles())
    if modules not in abi_names_of:
        lines = gdb.execute("info variables -n -q linn::v.*registry<.*>::process_", to_string=True)
        abi_names_of.clear()
        abi_names_of[modules] = sorted(set(ABI.findall(lines)))
    return abi_names_of[modules]


def members(registry, newest, link):
    """(member, ABI namespace) of every registry of that name, the oldest of each first. newest(value) is the first of one."""
    found = {}
    for abi in abi_names():
        for module in gdb.objfiles():
            name = registry.format(abi)
            symbol = module.lookup_global_symbol(name) or module.lookup_static_symbol(name)
            if symbol is None:
                continue
            try:
                entries = list(chain(newest(symbol.value()), link))
            except gdb.MemoryError:
                continue  # a copy that this process does not use
            for entry in reversed(entries):
                found.setdefault(int(entry.address), (entry, abi))
    return found.values()


def idle_items(store):
    """What is idle in a recycler or a buffer pool: in its depot, a list, and in the fronts of threads."""
    slots = [int(slot.address) for slot in chain(store["depot_"]["top"], "next")]
    for front in fronts_of(store):
        slots += cached_slots(front)
    return set(slots)


def live_and_idle(core):
    idle = len(idle_items(core))
    return int(atomic(core["references_"])) - 1 - int(core["waiting_"]) - idle, idle


def fronts_of(store):
    fronts = store["fronts_"]["by_number_"]
    for number in range(fronts.type.range()[1] + 1):
        front = atomic(fronts[number])
        if int(front):
            yield front.dereference()


def pools():
    """Every pool of the process that was used, in order of first use."""
    if not abi_names():
        raise gdb.GdbError("linn: no linn::pool in the debug information (compile with -g)")
    depots = list(members(REGISTRY, lambda found: found["newest_"], "older"))
    found = [Pool(depot, [home for home, _ in depots if int(home["primary_"]) == int(depot.address)], abi)
             for depot, abi in depots if int(depot["primary_"]) == int(depot.address)]
    at = {int(pool.depot.address): pool for pool in found}
    for core, _ in members(RECYCLERS, lambda found: found["members_"]["front_"], "next_registered"):
        home = core["memory_"]
        pool = at.get(int(atomic(home.dereference()))) if int(home) else None
        if pool is not None:
            pool.add_idle(idle_items(core))
    return found


# --- commands -----------------------------------------------------------------------------------------

class Linn(gdb.Command):
    """Object pools of Linn: linn pools, linn live TYPE, linn owner ADDRESS."""

    def __init__(self):
        super().__init__("linn", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)


class LinnPools(gdb.Command):
    """linn pools [REGEX]: every pool of the process, or those whose type matches.

Columns: size of an object, objects alive, most alive at once (at most what was cached then too high), free
objects that threads and pool cache, or that are idle in a recycler, threads with a cache, slabs; the type. A mark (*) says that
objects are blocks of operator new, because a memory checker is on."""

    def __init__(self):
        super().__init__("linn pools", gdb.COMMAND_DATA, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        print(f"{'bytes':>9}{'live':>11}{'peak':>11}{'cached':>10}{'threads':>9}{'slabs':>7}  type")
        found = pools()
        several = len({pool.abi for pool in found}) > 1
        for pool in found:
            if argument and not re.search(argument.strip(), pool.type):
                continue
            mark = " *" if pool.mode == SERVICE_BYPASS else ""
            abi = f"  [{pool.abi}]" if several else ""
            print(f"{pool.object_bytes:9}{pool.live:11}{pool.peak:11}{pool.cached:10}{pool.threads:9}"
                  f"{pool.slab_count:7}  {pool.type}{mark}{abi}")


class LinnLive(gdb.Command):
    """linn live TYPE [COUNT]: addresses of the live objects in the pools of TYPE, at most COUNT (100).

TYPE is the name as `linn pools` prints it, with or without namespaces, or a part of it that no other
pool has. Print one of them with
`print *(TYPE*)ADDRESS`."""

    def __init__(self):
        super().__init__("linn live", gdb.COMMAND_DATA, gdb.COMPLETE_SYMBOL)

    def invoke(self, argument, from_tty):
        match = re.fullmatch(r"(.*?)(?:\s+(\d+))?", argument.strip())
        wanted, most = match.group(1).strip(), int(match.group(2) or 100)
        if not wanted:
            raise gdb.GdbError("linn live: which type? `linn pools` lists them")
        found = pools()
        chosen = ([p for p in found if p.type == wanted] or
                  [p for p in found if p.type.endswith("::" + wanted)] or
                  [p for p in found if wanted in p.type])
        if not chosen:
            raise gdb.GdbError(f"linn live: no pool of {wanted} was used; `linn pools` lists them")
        if len({p.type for p in chosen}) > 1:
            raise gdb.GdbError("linn live: which one? " + ", ".join(sorted({p.type for p in chosen})))
        for pool in chosen:
            shown = count = 0
            for address in pool.live_objects():
                if shown < most:
                    print(f"{address:#x}")
                    shown += 1
                count += 1
            more = f", {shown} shown" if shown != count else ""
            print(f"{count} live {'object' if count == 1 else 'objects'} of {pool.type}{more}")


def place_in(slab, address):
    """(slot number or None, what is there when it is no slot that was ever handed out)"""
    if address < slab.first:
        return None, "in the header of the slab"
    index = (address - slab.first) // slab.slot_bytes
    if index >= slab.capacity:
        return None, "behind the last slot"
    return index, None if index < slab.carved else "never handed out since the slab was empty"


def local_slab_at(address):
    """The slab of a local_pool or handle_pool that holds `address`: no registry knows these, so their mark is looked for."""
    for abi in abi_names():
        try:
            slab_type = gdb.lookup_type(f"linn::{abi}::detail::slab")
        except gdb.error:
            continue
        for shift in range(12, 31):
            start = address >> shift << shift
            try:
                if words(start, 1)[0] != MAGIC ^ start:
                    continue
            except gdb.MemoryError:
                continue
            slab = Slab(gdb.Value(start).cast(slab_type.pointer()).dereference())
            if slab.contains(address):
                return slab, abi
    return None, None


def record_of(slab, object_address, abi):
    """What a checked build notes behind an object: {"allocated": addresses, "freed": addresses}."""
    geometry = slab.geometry
    if geometry is None or not int(geometry["record_offset"]):
        return {}
    kind = gdb.lookup_type(f"linn::{abi}::detail::slot_record").pointer()
    record = gdb.Value(object_address + int(geometry["record_offset"])).cast(kind).dereference()
    if int(record["state"]) ^ object_address not in (LIVE, FREE):
        return {}  # never handed out, or written over
    return {name: [int(record[name]["frames"][i]) for i in range(record[name]["frames"].type.range()[1] + 1)]
            for name in ("allocated", "freed")}


NOT_THE_USER = re.compile(r"(linn|std|__gnu_cxx)::|operator (new|delete)|__libc_start|_start$|start_thread|clone")


def frames(addresses, most=4):
    """The user's functions among return addresses, innermost first, as lines."""
    lines = []
    for address in addresses:
        if not address or len(lines) == most:
            break
        place = gdb.find_pc_line(address - 1)  # the call, not what follows it
        block = gdb.block_for_pc(address - 1)
        while block is not None and block.function is None:
            block = block.superblock
        if block is None or place.symtab is None:
            continue
        name = block.function.print_name
        if not NOT_THE_USER.match(name):
            lines.append(f"{name} at {place.symtab.filename}:{place.line}")
    return lines


class LinnOwner(gdb.Command):
    """linn owner ADDRESS: the pool and slot that an address lies in, and whether the object is live or free.

A checked build also remembers who allocated it last, and who freed it.

ADDRESS is any expression: a pointer, &variable, 0x7f..., $rdi."""

    def __init__(self):
        super().__init__("linn owner", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        if not argument.strip():
            raise gdb.GdbError("linn owner: which address?")
        value = gdb.parse_and_eval(argument)
        if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_STRUCT):
            value = value.address
        address = int(value) & (1 << 64) - 1
        found = pools()
        for pool in found:
            for start in pool.blocks() if pool.mode == SERVICE_BYPASS else ():
                if start <= address < start + pool.object_bytes:
                    inside = f", {address - start} bytes into it" if address != start else ""
                    state = "free: idle in its recycler" if start in pool.idle else "live"
                    print(f"{address:#x} is in the pool of {pool.type}: a block of operator new at "
                          f"{start:#x}{inside}; {state}")
                    return
            for slab in pool.slabs():
                if slab.contains(address):
                    self.describe(address, slab, pool.abi, f"the pool of {pool.type}", pool.cache_of())
                    return
        slab, abi = local_slab_at(address)
        if slab is not None:
            self.describe(address, slab, abi, "a local_pool or handle_pool", None)
            return
        note = ""
        if any(pool.mode == SERVICE_BYPASS for pool in found):
            note = " (a memory checker is on: pools know their live objects only)"
        print(f"{address:#x} is not in a pool{note}")

    @staticmethod
    def describe(address, slab, abi, where, cached):
        index, special = place_in(slab, address)
        if index is None:
            print(f"{address:#x} is in {where}: {special} at {slab.address:#x}")
            return
        start = slab.first + index * slab.slot_bytes
        inside = f", {address - start} bytes into it" if address != start else ""
        if special:
            state = "free: " + special
        elif slab.is_free(index):
            state = "free: returned to its slab"
        elif cached is None:
            state = "live, or in the cache of that pool"
        else:
            state = "free: " + cached[start] if start in cached else "live"
        print(f"{address:#x} is in {where}: slot {index} at {start:#x}{inside}; {state}")
        for what, addresses in record_of(slab, start, abi).items():
            for number, line in enumerate(frames(addresses)):
                print(f"  {what if number == 0 else '':9} {line}")


# --- printers -------------------------------------------------------------------------------------------

def short_name(value):
    """The type without the ABI namespace and without options."""
    name = re.sub(r"\blinn::v\d\w*::", "linn::", str(value.type.strip_typedefs().unqualified()))
    return re.sub(r", linn::(pool|handle)_options\s*{.*}", "", name)


class LocalPoolPrinter:
    """The live objects, as elements."""

    def __init__(self, value):
        self.value = value
        self.element = value.type.strip_typedefs().template_argument(0)
        count = int(value["count_"]["value_"])
        capacity = value["cache_"].type.range()[1] + 1
        self.cached = [int(value["cache_"][i]) for i in range(min(count, capacity))]
        self.live = int(value["slabs_"]["out_"]) - count

    def to_string(self):
        slabs = int(self.value["slabs_"]["count_"])
        return f"{short_name(self.value)}: {self.live} live, {len(self.cached)} cached, {slabs} slab" + ("s" if slabs != 1 else "")

    def children(self):
        cached = set(self.cached)
        for slab in sorted(slabs_of(self.value["slabs_"]), key=lambda s: s.address):
            for address in slab.out():
                if address not in cached:
                    yield (f"[{address:#x}]",
                           gdb.Value(address).cast(self.element.pointer()).dereference())


class HandlePoolPrinter:
    """The objects, as elements that are named by their handles, in order of their indices."""

    def __init__(self, value):
        self.value = value
        self.element = value.type.strip_typedefs().template_argument(0)

    def to_string(self):
        size = int(self.value["size_"])
        return f"{short_name(self.value)}: {size} {'object' if size == 1 else 'objects'}"

    def children(self):
        table = self.value["table_"]
        index_bits = int(table.type.strip_typedefs().template_argument(1))
        for index in range(int(table["size_"])):
            entry = table["entries_"][index]
            if int(entry["object"]):
                handle = int(entry["generation"]) << index_bits | index
                yield f"[{handle:#x}]", entry["object"].cast(self.element.pointer()).dereference()


class HandlePrinter:
    """The number by which the printer of its pool names the object."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        number = int(self.value["value_"])
        return f"{short_name(self.value)}: " + (f"{number:#x}" if number else "null")


class FixedPoolPrinter:
    """The live objects, as elements."""

    def __init__(self, value):
        self.value = value
        self.element = value.type.strip_typedefs().template_argument(0)
        self.capacity = int(value.type.strip_typedefs().template_argument(1))
        self.live = int(value["carved_"]["value_"]) - int(value["free_count_"]["value_"])

    def to_string(self):
        name = re.sub(r", \d+[uUlL]*>$", f", {self.capacity}>", short_name(self.value))
        return f"{name}: {self.live} of {self.capacity} live"

    def children(self):
        storage = self.value["slots_"]["bytes"]
        slot_bytes = storage.type.sizeof // max(1, self.capacity)
        for slot in range(int(self.value["carved_"]["value_"])):
            if int(self.value["out_"][slot // 64]) >> (slot % 64) & 1:
                address = int(storage.address) + slot * slot_bytes
                yield (f"[{slot}]", gdb.Value(address).cast(self.element.pointer()).dereference())


class RecyclerPrinter:
    def __init__(self, value):
        self.value = value
        self.core = value["body_"].dereference()

    def to_string(self):
        live, idle = live_and_idle(self.core)
        waiting = int(self.core["waiting_"])
        text = f"{short_name(self.value)}: {live} live, {idle} idle of at most {int(atomic(self.core['capacity_']))}"
        limit = int(self.core["limit_"])
        return text + (f", {limit} in all, {waiting} threads wait" if limit else "")


class BufferPrinter:
    def __init__(self, value):
        self.block = value["block_"]

    def to_string(self):
        if not int(self.block):
            return "linn::buffer: empty"
        data, bytes_ = int(self.block["memory"]["data"]), int(self.block["size"])
        return f"linn::buffer: {bytes_} bytes at {data:#x}"


class BufferPoolPrinter:
    def __init__(self, value):
        self.store = value["store_"].dereference()

    def to_string(self):
        live, idle = live_and_idle(self.store)
        peak = max(int(self.store["peak_"]), live)  # which the store itself notes at its next look
        return (f"linn::buffer_pool of {int(self.store['plan_']['bytes'])} bytes: {live} live, "
                f"{idle} idle, peak {peak}")


class AllocatorPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return re.sub(r", std::(__1::)?allocator<[^<>]*(<[^<>]*>)?[^<>]* ?>(?: (?=>$))?", "", short_name(self.value))


def build():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("linn")
    for name, printer in (("local_pool", LocalPoolPrinter), ("fixed_pool", FixedPoolPrinter),
                          ("handle_pool", HandlePoolPrinter), ("pool_handle", HandlePrinter),
                          ("allocator", AllocatorPrinter), ("buffer", BufferPrinter),
                          ("buffer_pool", BufferPoolPrinter), ("recycler", RecyclerPrinter)):
        collection.add_printer(name, rf"^linn::v\d\w*::{name}(<.*>)?$", printer)
    return collection


for command in (Linn, LinnPools, LinnLive, LinnOwner):
    command()
gdb.printing.register_pretty_printer(None, build(), replace=True)
