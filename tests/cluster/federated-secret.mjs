// A Secret that KubeFed propagates, for tests of what must not leave it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { command } from "./command.mjs";

/** Installs the kind FederatedSecret, and propagates the Secret `shop/db` with this password to the clusters. */
export async function applyFederatedSecret(plane, { password, clusters }) {
  const type = (prefix, group, version) => ({
    kind: `${prefix}Secret`,
    pluralName: `${prefix.toLowerCase()}secrets`,
    group,
    version,
    scope: "Namespaced",
  });
  const config = {
    apiVersion: "core.kubefed.io/v1beta1",
    kind: "FederatedTypeConfig",
    metadata: { name: "secrets", namespace: "kube-federation-system" },
    spec: {
      federatedType: type("Federated", "types.kubefed.io", "v1beta1"),
      targetType: type("", "", "v1"),
      propagation: "Enabled",
    },
  };
  const written = join(plane.folder, "type-config.json");
  writeFileSync(written, JSON.stringify(config));
  await plane.hub.define(command(["crds", "--all", "-f", written]).out);
  await plane.hub.apply(config);
  await plane.hub.apply({
    apiVersion: "types.kubefed.io/v1beta1",
    kind: "FederatedSecret",
    metadata: { name: "db", namespace: "shop" },
    spec: {
      template: { type: "Opaque", data: { password: Buffer.from(password).toString("base64") } },
      placement: { clusters: clusters.map((name) => ({ name })) },
    },
  });
}
