// How a ManagedClusterSet selects its clusters, and which consumers may use it.
import { css, html, nothing, type TemplateResult } from "lit";
import type { SetAnswer } from "../../../../contract.js";

export function setFacts({
  exclusive,
  exclusiveLabel,
  networkGroup,
  resourceGroup,
  selectorType,
}: SetAnswer): TemplateResult {
  return html`<dl class="set" aria-label="Cluster set">
    ${fact("Selector type", selectorType || "empty, which means ExclusiveClusterSetLabel")}
    ${fact("Exclusive", exclusive ? "yes: one set of this key per cluster" : "no: several sets per cluster")}
    ${exclusiveLabel ? fact("Label", html`<code>${exclusiveLabel.key}=${exclusiveLabel.value}</code>`) : nothing}
    ${fact("Resource groups", consumer(resourceGroup, "multicloud-operators-foundation"))}
    ${fact("Network groups", consumer(networkGroup, "submariner-addon"))}
  </dl>`;
}

const fact = (name: string, value: unknown) =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`;

const consumer = (may: boolean, example: string) =>
  html`${may ? "yes" : "no"} <span class="quiet">for consumers such as ${example}</span>`;

export const setStyles = css`
  .set {
    display: grid;
    grid-template-columns: max-content 1fr;
    gap: 2px var(--ff-space);
    margin: calc(var(--ff-space) / 2) 0;
    padding: 0 var(--ff-space);
  }
  .set dt {
    color: var(--ff-quiet);
  }
  .set dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
`;
