"""A stand-in for the Hugging Face hub: it serves what a test puts there, and counts requests."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread


class StandinHub:
    """Answers by path: a status and a body; every other path is not found."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, bytes]] = {}
        self.headers: dict[str, str] = {}
        self.asked: list[str] = []
        self.tokens: set[str | None] = set()
        self.drip = False
        self.closed = Event()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def put(self, path: str, body: bytes, status: int = 200) -> None:
        self.answers[path] = (status, body)

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(request.path)
        self.tokens.add(request.headers["Authorization"])
        status, body = self.answers.get(request.path, (404, b"{}"))
        request.send_response(status)
        for name, value in self.headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        try:
            if self.drip:
                self._drip(request, body)
            else:
                request.wfile.write(body)
        except OSError:
            return  # the asker had enough

    def _drip(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        """One byte at a time, for as long as somebody listens."""
        for byte in body:
            request.wfile.write(bytes([byte]))
            if self.closed.wait(0.05):
                return


@contextmanager
def standin_hub() -> Iterator[StandinHub]:
    """A stand-in that serves until the block ends."""
    hub = StandinHub()
    thread = Thread(target=hub.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.closed.set()
        hub.server.shutdown()
        hub.server.server_close()
        thread.join()
