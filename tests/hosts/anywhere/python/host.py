from wasmtime import Instance, Module, Store


class Workspace:
    """One workspace: an instance of the module. After an exception, make another."""

    def __init__(self, store: Store, module: Module):
        self.store, self.exports = store, Instance(store, module, []).exports(store)
        abi = self.run("fleetfold_abi") if "fleetfold_abi" in self.exports else None
        if abi != 1:
            raise ValueError(f"the module has ABI {abi}, this host has 1")

    def run(self, export: str, *args: int) -> int:
        return (self.exports[export](self.store, *args) or 0) % 2**64

    def call(self, request: str) -> str:
        sent, memory = request.encode("utf-8", "surrogateescape"), self.exports["memory"]
        if not (place := self.run("fleetfold_alloc", len(sent)) % 2**32):
            raise MemoryError(f"the module has no room for {len(sent)} bytes")
        memory.write(self.store, sent, place)
        start, length = divmod(self.run("fleetfold_call", place, len(sent)), 2**32)
        answer = memory.read(self.store, start, start + length).decode()
        self.run("fleetfold_free", place, len(sent))
        self.run("fleetfold_free", start, length)
        return answer
