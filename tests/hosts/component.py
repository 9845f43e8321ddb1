# The component under wasmtime: answers every vector and prints the same digest as every other host, and then what the component
# asks of a host and gives to it.
#   fleetfold vectors DIR --requests | node tests/hosts/python.mjs tests/hosts/component.py COMPONENT
import hashlib
import json
import sys

from wasmtime import Engine, Store
from wasmtime.component import Component, FuncType, Linker

engine = Engine()
component = Component.from_file(engine, sys.argv[1])
store = Store(engine)
# Nothing is linked: a component that imports anything is refused here.
instance = Linker(engine).instantiate(store, component)
contract = component.get_export_index("fleetfold:engine/contract@0.1.0")


def exported(name):
    return instance.get_func(store, component.get_export_index(name, contract))


def shape(item):
    if isinstance(item, FuncType):
        return [[type(it).__name__ for _, it in item.params], type(item.result).__name__]
    if hasattr(item, "exports"):
        return shapes(item.exports(engine))
    return type(item).__name__


def shapes(items):
    return {name: shape(it.ty) for name, it in items.items()}


workspace, call, call_alone = map(exported, ["[constructor]workspace", "[method]workspace.call", "call"])
digest, answered, alone = hashlib.sha256(), 0, 0
for line in sys.stdin.buffer:
    requests = json.loads(line)
    held = workspace(store)
    answers = [call(store, held, request) for request in requests]
    held.drop(store)
    # One request alone gets the same answer without a workspace.
    if len(requests) == 1:
        assert call_alone(store, requests[0]) == answers[0], requests[0]
        alone += 1
    for answer in answers:
        digest.update(answer.encode() + b"\n")
    answered += 1
assert alone, "no vector has one request"
print(f"answers sha256:{digest.hexdigest()}")
print(f"{answered} answered")

try:
    half = call_alone(store, "\ud83d")
except UnicodeEncodeError as error:
    half = type(error).__name__
surface = {"imports": shapes(component.type.imports(engine)), "exports": shapes(component.type.exports(engine))}
print(json.dumps({**surface, "half a character": half, "afterwards": call_alone(store, '{"op":"parse","text":"a: 1"}')}))
