import static java.nio.charset.StandardCharsets.UTF_8;

import com.dylibso.chicory.compiler.MachineFactoryCompiler;
import com.dylibso.chicory.runtime.Instance;
import com.dylibso.chicory.wasm.Parser;
import com.dylibso.chicory.wasm.types.MemoryLimits;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The raw module under Chicory: answers every vector and prints the same digest as every other host. With `answers` it
 * prints the answers themselves.
 *
 * <pre>fleetfold vectors DIR --requests | java Vectors MODULE PAGES MILLISECONDS [answers]</pre>
 */
final class Vectors {
  private static final PrintStream out = new PrintStream(System.out, false, UTF_8);
  private static final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

  public static void main(String[] args) throws Exception {
    if (args.length < 3) throw new IllegalArgumentException("wanted: MODULE PAGES MILLISECONDS [answers]");
    try {
      run(Path.of(args[0]), Integer.parseInt(args[1]), Long.parseLong(args[2]), args.length > 3);
    } catch (RuntimeException error) {
      System.err.println(error);
      System.exit(1);
    } finally {
      clock.shutdownNow();
      out.flush();
    }
  }

  /** Compiled once, for as many workspaces as are wanted. */
  private static Supplier<Host> load(Path file, int pages) {
    var module = Parser.parse(file);
    var machine = MachineFactoryCompiler.compile(module);
    var start = module.memorySection().map(it -> it.getMemory(0).limits().initialPages()).orElse(0);
    var limits = new MemoryLimits(start, pages);
    return () -> new Host(Instance.builder(module).withMachineFactory(machine).withMemoryLimits(limits).build());
  }

  private static void run(Path file, int pages, long milliseconds, boolean answers) throws Exception {
    var workspaces = load(file, pages);
    var digest = MessageDigest.getInstance("SHA-256");
    var vectors = new String(System.in.readAllBytes(), UTF_8).split("\n");
    for (var vector : vectors) {
      try {
        answer(workspaces, strings(vector), milliseconds, answer -> {
          digest.update((answer + "\n").getBytes(UTF_8));
          if (answers) out.println(answer);
        });
      } catch (RuntimeException error) {
        if (!answers) throw error;
        out.println("failed: " + error);
      }
    }
    if (answers) return;
    out.println("answers sha256:" + HexFormat.of().formatHex(digest.digest()));
    out.println(vectors.length + " answered");
  }

  /** One vector, in a workspace of its own and within the deadline: Chicory ends a call when its thread is interrupted. */
  private static void answer(Supplier<Host> workspaces, List<String> requests, long milliseconds, Consumer<String> each) {
    var deadline = clock.schedule(Thread.currentThread()::interrupt, milliseconds, TimeUnit.MILLISECONDS);
    try {
      var workspace = workspaces.get();
      for (var request : requests) each.accept(workspace.call(request));
    } finally {
      deadline.cancel(false);
      Thread.interrupted();
    }
  }

  /** A JSON list of strings, and nothing else: Java has no reader of JSON. */
  private static List<String> strings(String json) {
    var found = new ArrayList<String>();
    var text = new StringBuilder();
    var inside = false;
    for (int at = 1; at < json.length() - 1; at++) {
      char it = json.charAt(at);
      if (it == '"') {
        if (inside) found.add(text.toString());
        text.setLength(0);
        inside = !inside;
      } else if (inside && it == '\\') {
        char escape = json.charAt(++at);
        int plain = "\"\\/bfnrt".indexOf(escape);
        text.append(plain >= 0 ? "\"\\/\b\f\n\r\t".charAt(plain) : (char) Integer.parseInt(json, at + 1, at + 5, 16));
        if (plain < 0) at += 4;
      } else if (inside) {
        text.append(it);
      } else if (it != ',') {
        throw new IllegalArgumentException("not a list of strings: " + json);
      }
    }
    if (inside || !json.startsWith("[") || !json.endsWith("]")) throw new IllegalArgumentException("not a list of strings: " + json);
    return found;
  }
}
