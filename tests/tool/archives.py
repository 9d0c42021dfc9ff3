# SPDX-License-Identifier: Apache-2.0
"""Archives of an allocator's sources for tests, the list that names them, and a server on this machine that gives them away,
well or badly."""
import hashlib
import http.server
import io
import pathlib
import tarfile
import threading

# An rpmalloc of five lines, in C.
WORKING = """#include <stddef.h>
void *__libc_malloc(size_t); void __libc_free(void *);
void *malloc(size_t n) { return __libc_malloc(n); }
void free(void *p) { __libc_free(p); }
"""


def archive(source, padding=0):
    """The bytes of an archive of rpmalloc with this source, `padding` bytes longer than it has to be."""
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w") as tar:
        for name, text in [("rpmalloc/rpmalloc.c", source), ("LICENSE", "a licence\n"), ("padding", "x" * padding)]:
            entry = tarfile.TarInfo("rpmalloc-1.2.3/" + name)
            entry.size = len(text.encode())
            tar.addfile(entry, io.BytesIO(text.encode()))
    return memory.getvalue()


def write_list(folder, places):
    """The environment in which rpmalloc comes from these places: pairs of an address and the content that it should have."""
    lines = [f"rpmalloc 1.2.3 {hashlib.sha256(content).hexdigest()} {address} ." for address, content in places]
    path = pathlib.Path(folder) / "sources.txt"
    path.write_text("# a list\n" + "\n".join(lines) + "\n")
    return {"LINN_SOURCES": str(path), "LINN_DOWNLOAD_STALL": "2"}


def from_file(folder, source):
    """The environment in which rpmalloc has this source, and no network is needed."""
    path = pathlib.Path(folder) / "rpmalloc.tar"
    path.write_bytes(archive(source))
    return write_list(folder, [(path.as_uri(), path.read_bytes())])


class Server:
    """Serves `content` at every path. The path says how: /whole; /stalled ends in the middle and keeps the connection; /other has
    other content; /missing is not there."""

    def __init__(self, content):
        self.requests = []  # paths
        self.ended = threading.Event()
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                owner.answer(self, content)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler, content):
        self.requests.append(handler.path)
        kind = handler.path.rsplit("/", 1)[-1]
        if kind == "missing":
            handler.send_error(404)
            return
        if kind == "other":
            content = b"other" + content
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        try:
            handler.wfile.write(content[:len(content) // 2 if kind == "stalled" else None])
            handler.wfile.flush()
        except ConnectionError:
            return
        if kind == "stalled":
            self.ended.wait(60)
        handler.close_connection = True
