"""The raw module under wasmtime: answers every vector and prints the same digest as every other host. With `answers` it
prints the answers themselves, and then that to a file, which is one request, whatever it is made of.

    fleetfold vectors DIR --requests | python vectors.py MODULE PAGES MILLISECONDS [answers [FILE]]
"""

import functools
import hashlib
import json
import sys
import threading

from host import Workspace
from wasmtime import Config, Engine, Module, Store, Trap, WasmtimeError

FAULTS = (Trap, WasmtimeError, MemoryError)


def load(path):
    """Compiled once, for as many workspaces as are wanted."""
    config = Config()
    config.epoch_interruption = True
    engine = Engine(config)
    module = Module.from_file(engine, path)
    return engine, module


def answers(engine, module, pages, milliseconds, requests):
    """One vector, in a workspace of its own and within the deadline."""
    store = Store(engine)
    store.set_limits(memory_size=pages * 65_536)
    store.set_epoch_deadline(1)
    deadline = threading.Timer(milliseconds / 1000, engine.increment_epoch)
    deadline.start()
    try:
        workspace = Workspace(store, module)
        for request in requests:
            yield workspace.call(request)
    finally:
        deadline.cancel()


def main(path, pages, milliseconds, *mode):
    ask = functools.partial(answers, *load(path), int(pages), int(milliseconds))
    vectors = [json.loads(line) for line in read(0).rstrip("\n").split("\n")]
    if not mode:
        digest = hashlib.sha256()
        for vector in vectors:
            for answer in ask(vector):
                digest.update(f"{answer}\n".encode())
        print(f"answers sha256:{digest.hexdigest()}")
        print(f"{len(vectors)} answered")
        return
    for vector in vectors + [[read(file)] for file in mode[1:]]:
        try:
            for answer in ask(vector):
                print(answer)
        except FAULTS as error:
            # It is one vector's own: what comes next is answered.
            print("failed:", json.dumps(str(error)))


def read(file):
    """What is not UTF-8 goes through Python's text as it is."""
    with open(file, encoding="utf-8", errors="surrogateescape", newline="\n") as opened:
        return opened.read()


try:
    main(*sys.argv[1:])
except (OSError, ValueError, *FAULTS) as error:
    sys.exit(f"{type(error).__name__}: {error}")
