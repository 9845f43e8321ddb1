# The plugin in Extism's host for Python: answers every vector and prints the same digest as every other host.
#   fleetfold vectors DIR --requests | node tests/hosts/python.mjs tests/hosts/extism-host.py PLUGIN
# The file is not called extism.py: `import extism` would find that.
import hashlib
import json
import sys

from extism import Plugin
from extism.extism import CompiledPlugin  # which the package itself does not pass on

with open(sys.argv[1], "rb") as file:
    compiled = CompiledPlugin(file.read())
digest, answered = hashlib.sha256(), 0
for line in sys.stdin.buffer:
    # One instance is one workspace.
    plugin = Plugin(compiled)
    for request in json.loads(line):
        digest.update(plugin.call("call", request.encode()) + b"\n")
    answered += 1
print(f"answers sha256:{digest.hexdigest()}")
print(f"{answered} answered")
