// The styles of the views that read like a document: counts on top, then sections of cards.
import { css } from "lit";

export const sheetStyles = css`
  :host {
    padding: calc(var(--ff-space) * 1.5);
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--ff-space);
    margin-bottom: var(--ff-space);
  }
  .head h2 {
    margin-right: auto;
    font-size: 1.15em;
  }
  .tallies {
    display: flex;
    flex-wrap: wrap;
    margin: 0 0 var(--ff-space);
    border: 1px solid var(--ff-line);
    border-radius: var(--ff-radius);
    overflow: hidden;
  }
  .tallies > div {
    flex: 1 0 auto;
    min-width: 72px;
    padding: calc(var(--ff-space) / 2) var(--ff-space);
    border-right: 1px solid var(--ff-line);
    margin-right: -1px;
    display: flex;
    flex-direction: column-reverse;
  }
  .tallies dd {
    margin: 0;
    font-size: 1.4em;
    line-height: 1.3;
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
  .tallies dt {
    color: var(--ff-quiet);
    white-space: nowrap;
  }
  .tallies .loud {
    background: var(--ff-warning-soft);
  }
  .tallies .loud dd {
    color: var(--ff-warning);
  }
  .tallies .loud dt {
    color: var(--ff-ink);
  }
  section {
    margin-bottom: calc(var(--ff-space) * 2);
  }
  section > h3 {
    display: flex;
    align-items: baseline;
    gap: var(--ff-space);
    margin-bottom: calc(var(--ff-space) / 2);
    padding-bottom: calc(var(--ff-space) / 2);
    border-bottom: 1px solid var(--ff-line);
  }
  section > h3:not(:first-child) {
    margin-top: calc(var(--ff-space) * 2);
  }
  section > h3 > .quiet {
    font-weight: 400;
  }
  .card {
    margin: 0 0 var(--ff-space);
    padding: var(--ff-space);
    border: 1px solid var(--ff-line);
    border-radius: var(--ff-radius);
    overflow-wrap: anywhere;
  }
  .card[aria-current="true"] {
    border-color: var(--ff-accent);
    outline: 1px solid var(--ff-accent);
  }
  .card > :last-child,
  .loud > :last-child {
    margin-bottom: 0;
  }
  .card.loud {
    border-color: var(--ff-warning);
    background: var(--ff-warning-soft);
  }
  .card.loud .quiet {
    color: var(--ff-ink);
  }
  .line {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 var(--ff-space);
  }
  .line.whole {
    flex-wrap: nowrap;
  }
  .line.whole > * {
    flex: none;
  }
  .line.whole > .main {
    flex: 1 1 auto;
    min-width: 0;
  }
  .push {
    margin-left: auto;
  }
  .sign {
    display: inline-block;
    width: 1.2em;
    font-family: var(--ff-mono);
    font-weight: 700;
    text-align: center;
  }
  .added {
    color: var(--ff-added);
  }
  .removed {
    color: var(--ff-removed);
  }
  .patched {
    color: var(--ff-accent);
  }
  .was,
  .is {
    padding: 0 4px;
    border-radius: 2px;
    overflow-wrap: anywhere;
    white-space: pre-wrap;
    font-family: var(--ff-mono);
    font-size: 0.95em;
  }
  .was {
    background: var(--ff-removed-soft);
    color: var(--ff-removed);
  }
  .is {
    background: var(--ff-added-soft);
    color: var(--ff-added);
  }
  .warn {
    color: var(--ff-warning);
    font-weight: 600;
  }
  .error {
    color: var(--ff-error);
  }
  ul.plain {
    margin: 0;
    padding: 0;
    list-style: none;
  }
  .names {
    display: flex;
    flex-wrap: wrap;
    gap: 2px var(--ff-space);
    max-height: 320px;
    margin: calc(var(--ff-space) / 2) 0 0;
    padding: 0;
    overflow: auto;
    list-style: none;
  }
  pre {
    margin: calc(var(--ff-space) / 2) 0;
    padding: var(--ff-space);
    border: 1px solid var(--ff-line);
    border-radius: var(--ff-radius);
    background: var(--ff-raised);
    overflow: auto;
    max-height: 420px;
  }
  summary {
    cursor: pointer;
  }
  .print-only {
    display: none;
  }
  @media print {
    .no-print {
      display: none !important;
    }
    button.link {
      color: inherit;
    }
    .print-only {
      display: block;
    }
    :host {
      padding: 0;
    }
    .card {
      break-inside: avoid-page;
    }
    h2,
    h3 {
      break-after: avoid-page;
    }
    pre,
    .names {
      max-height: none;
      overflow: visible;
      white-space: pre-wrap;
    }
  }
`;
