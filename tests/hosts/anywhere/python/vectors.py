"""The raw module under wasmtime: answers every vector and prints the same digest as every other host. With `answers` it
prints the answers themselves, with `bytes` standard input is one request, whatever it is made of.

    fleetfold vectors DIR --requests | python vectors.py MODULE PAGES MILLISECONDS [answers|bytes]
"""

import hashlib
import json
import sys
import threading

from host import Workspace
from wasmtime import Config, Engine, Module, Store, Trap, WasmtimeError

PAGE = 65_536


def load(path, pages, milliseconds):
    """Compiled once, for as many workspaces as are wanted. The deadline is for everything that one is asked."""
    config = Config()
    config.epoch_interruption = True
    engine = Engine(config)
    module = Module.from_file(engine, path)

    def answers(requests):
        store = Store(engine)
        store.set_limits(memory_size=pages * PAGE)
        store.set_epoch_deadline(1)
        deadline = threading.Timer(milliseconds / 1000, engine.increment_epoch)
        deadline.start()
        try:
            workspace = Workspace(store, module)
            for request in requests:
                yield workspace.call(request)
        finally:
            deadline.cancel()

    return answers


def main(path, pages, milliseconds, mode="digest"):
    answers = load(path, int(pages), int(milliseconds))
    # What is not UTF-8 goes through Python's text as it is.
    text = open(0, encoding="utf-8", errors="surrogateescape", newline="\n").read()
    if mode == "bytes":
        print(*answers([text]))
        return
    digest, vectors = hashlib.sha256(), text.rstrip("\n").split("\n")
    for vector in vectors:
        try:
            for answer in answers(json.loads(vector)):
                digest.update(f"{answer}\n".encode())
                if mode == "answers":
                    print(answer)
        except (Trap, WasmtimeError, MemoryError) as error:
            if mode != "answers":
                raise
            print("failed:", json.dumps(str(error)))
    if mode == "digest":
        print(f"answers sha256:{digest.hexdigest()}")
        print(f"{len(vectors)} answered")


try:
    main(*sys.argv[1:])
except (OSError, ValueError, Trap, WasmtimeError, MemoryError) as error:
    sys.exit(f"{type(error).__name__}: {error}")
