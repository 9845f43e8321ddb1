// Each layer family has one colour and one shape everywhere: in the editor's gutter, beside a value, on the map. There
// are eight.
import { css, html, svg, type TemplateResult } from "lit";

export interface Mark {
  /** 1 to 8: the token `--ff-layer-N`. */
  colour: number;
  /** The family's display name. */
  family: string;
}

/** The family of each layer. The last row recognises layers of future dialects by their suffix. */
const FAMILIES: [pattern: RegExp, mark: Mark][] = [
  [/^(definition-default|defaults?|base|catalog|namespace)$/, { colour: 1, family: "default" }],
  [/^organization-override$/, { colour: 2, family: "organization" }],
  [/^(preset|plugin|written)$/, { colour: 3, family: "document" }],
  [
    /^(plugin-override|image-override|argument-override|variable-override|log-level)$/,
    { colour: 4, family: "override" },
  ],
  [/^(cluster-override|cluster-option-override|override)$/, { colour: 5, family: "cluster" }],
  [
    /^(decision-group|scheduling-override|replica-override|resource-override|label-override|unsupported-override)$/,
    { colour: 6, family: "setting" },
  ],
  [/^(live|retained)$/, { colour: 7, family: "live" }],
  [/^(injected|identity|owner|managed-(annotation|label))$/, { colour: 8, family: "engine" }],
  [/-override$/, { colour: 4, family: "override" }],
];

export function markOf(layer: string): Mark {
  return FAMILIES.find(([pattern]) => pattern.test(layer))?.[1] ?? { colour: 3, family: "document" };
}

/** One outline for each colour, in a box of ten by ten. */
const SHAPES = [
  svg`<circle cx="5" cy="5" r="3.2" fill="none" stroke="currentColor" stroke-width="1.6"/>`,
  svg`<path d="M5 .8 9.2 9H.8Z" fill="currentColor"/>`,
  svg`<circle cx="5" cy="5" r="4" fill="currentColor"/>`,
  svg`<rect x="1.2" y="1.2" width="7.6" height="7.6" fill="currentColor"/>`,
  svg`<path d="M5 .4 9.6 5 5 9.6.4 5Z" fill="currentColor"/>`,
  svg`<path d="M5 9.2.8 1h8.4Z" fill="currentColor"/>`,
  svg`<rect x="1.8" y="1.8" width="6.4" height="6.4" fill="none" stroke="currentColor" stroke-width="1.6"/>`,
  svg`<path d="M5 .6v8.8M.6 5h8.8" stroke="currentColor" stroke-width="2.2"/>`,
];

/** The shape alone, for maps. */
export function shapeOf(colour: number) {
  return SHAPES[colour - 1] ?? SHAPES[0]!;
}

/** The mark beside a value. Hidden from screen readers: the layer's name is next to it. */
export function layerMark(layer: string): TemplateResult {
  const { colour } = markOf(layer);
  return html`<svg class="mark layer-${colour}" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
    ${shapeOf(colour)}
  </svg>`;
}

/** For views that show marks. */
export const markStyles = css`
  .mark {
    flex: none;
    vertical-align: -1px;
  }
  .layer-1 {
    color: var(--ff-layer-1);
  }
  .layer-2 {
    color: var(--ff-layer-2);
  }
  .layer-3 {
    color: var(--ff-layer-3);
  }
  .layer-4 {
    color: var(--ff-layer-4);
  }
  .layer-5 {
    color: var(--ff-layer-5);
  }
  .layer-6 {
    color: var(--ff-layer-6);
  }
  .layer-7 {
    color: var(--ff-layer-7);
  }
  .layer-8 {
    color: var(--ff-layer-8);
  }
`;
