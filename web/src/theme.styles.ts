// The theme: one set of tokens, light and dark, and the base styles of all views.
import { css } from "lit";

/**
 * For the outermost element: the page or `<fleetfold-preview>`. A host page can override the `--fleetfold-*`
 * properties.
 */
export const tokens = css`
  :host {
    color-scheme: light dark;
    --ff-font: var(--fleetfold-font, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif);
    --ff-mono: var(
      --fleetfold-mono,
      ui-monospace,
      "SF Mono",
      "Cascadia Code",
      "DejaVu Sans Mono",
      Menlo,
      Consolas,
      monospace
    );
    --ff-size: var(--fleetfold-size, 13px);
    --ff-page: var(--fleetfold-page, light-dark(#ffffff, #14171c));
    --ff-raised: var(--fleetfold-raised, light-dark(#f6f7f9, #1b1f26));
    --ff-hover: light-dark(#eef1f5, #242a33);
    --ff-chosen: light-dark(#e3edff, #1e3252);
    --ff-line: var(--fleetfold-line, light-dark(#d8dde4, #333a45));
    --ff-ink: var(--fleetfold-ink, light-dark(#1a1f27, #e4e8ee));
    --ff-quiet: light-dark(#57606d, #9ba5b4);
    --ff-accent: var(--fleetfold-accent, light-dark(#1556c0, #7db1ff));
    --ff-on-accent: light-dark(#ffffff, #0c1626);
    --ff-error: light-dark(#b3152a, #ff8f8f);
    --ff-error-soft: light-dark(#fdecee, #3a1c20);
    --ff-warning: light-dark(#8a5a00, #f0bd57);
    --ff-warning-soft: light-dark(#fff5df, #362a12);
    --ff-added: light-dark(#12703c, #6fd39a);
    --ff-added-soft: light-dark(#e5f6ec, #15301f);
    --ff-removed: light-dark(#b3152a, #ff8f8f);
    --ff-removed-soft: light-dark(#fdecee, #3a1c20);
    --ff-layer-1: light-dark(#5b6472, #a3adbb);
    --ff-layer-2: light-dark(#7a4fb5, #c3a2f2);
    --ff-layer-3: light-dark(#1556c0, #7db1ff);
    --ff-layer-4: light-dark(#8a5a00, #f0bd57);
    --ff-layer-5: light-dark(#b3152a, #ff9a9a);
    --ff-layer-6: light-dark(#0b6b6b, #5fd0d0);
    --ff-layer-7: light-dark(#12703c, #6fd39a);
    --ff-layer-8: light-dark(#9a3a86, #f29fe0);
    --ff-space: 8px;
    --ff-radius: 4px;
    background: var(--ff-page);
    color: var(--ff-ink);
    font: var(--ff-size) / 1.5 var(--ff-font);
  }
  :host([theme="light"]) {
    color-scheme: light;
  }
  :host([theme="dark"]) {
    color-scheme: dark;
  }
  @media print {
    :host,
    :host([theme]) {
      color-scheme: light;
    }
  }
`;

/** For every view. */
export const baseStyles = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  :host {
    display: block;
  }
  [hidden] {
    display: none !important;
  }
  h1,
  h2,
  h3 {
    margin: 0;
    font-size: inherit;
    font-weight: 600;
  }
  p {
    margin: 0 0 var(--ff-space);
  }
  code,
  pre,
  .mono {
    font-family: var(--ff-mono);
    font-size: 0.95em;
  }
  .quiet {
    color: var(--ff-quiet);
  }
  .visually-hidden {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  button,
  input,
  select,
  textarea {
    font: inherit;
    color: inherit;
  }
  button {
    padding: 2px var(--ff-space);
    border: 1px solid var(--ff-line);
    border-radius: var(--ff-radius);
    background: var(--ff-page);
    cursor: pointer;
  }
  button:hover {
    background: var(--ff-hover);
  }
  button[aria-pressed="true"],
  button[aria-selected="true"] {
    border-color: var(--ff-accent);
    background: var(--ff-chosen);
  }
  button.link {
    padding: 0;
    border: 0;
    background: none;
    color: var(--ff-accent);
    text-align: inherit;
    text-decoration: underline;
    text-decoration-color: transparent;
    text-underline-offset: 2px;
  }
  button.link:hover {
    text-decoration-color: currentcolor;
  }
  button.primary {
    border-color: var(--ff-accent);
    background: var(--ff-accent);
    color: var(--ff-on-accent);
  }
  input,
  select,
  textarea {
    padding: 2px var(--ff-space);
    border: 1px solid var(--ff-line);
    border-radius: var(--ff-radius);
    background: var(--ff-page);
  }
  :focus-visible {
    outline: 2px solid var(--ff-accent);
    outline-offset: 1px;
  }
  .empty {
    margin: calc(var(--ff-space) * 2);
    color: var(--ff-quiet);
  }
  .empty pre {
    padding: var(--ff-space);
    border: 1px solid var(--ff-line);
    border-radius: var(--ff-radius);
    background: var(--ff-raised);
    color: var(--ff-ink);
    overflow: auto;
  }
  .stale {
    opacity: 0.55;
  }
  @media (prefers-reduced-motion: reduce) {
    * {
      transition: none !important;
      animation: none !important;
      scroll-behavior: auto !important;
    }
  }
`;
