import static java.nio.charset.StandardCharsets.UTF_8;

import com.dylibso.chicory.runtime.Instance;

/** One workspace: an instance of the module. After an exception, make another. */
record Host(Instance instance) {
  Host {
    long abi = instance.export("fleetfold_abi").apply()[0];
    if (abi != 1) throw new IllegalArgumentException("the module has ABI " + abi + ", this host has 1");
  }

  String call(String request) {
    byte[] sent = request.getBytes(UTF_8);
    int place = (int) instance.export("fleetfold_alloc").apply(sent.length)[0];
    if (place == 0) throw new IllegalStateException("the module has no room for " + sent.length + " bytes");
    instance.memory().write(place, sent);
    long answer = instance.export("fleetfold_call").apply(place, sent.length)[0];
    int start = (int) (answer >>> 32), length = (int) answer;
    String text = new String(instance.memory().readBytes(start, length), UTF_8);
    instance.export("fleetfold_free").apply(place, sent.length);
    instance.export("fleetfold_free").apply(start, length);
    return text;
  }
}
