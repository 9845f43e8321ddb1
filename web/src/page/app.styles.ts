// The frame of the page.
import { css } from "lit";

export const appStyles = css`
  :host {
    display: grid;
    grid-template-rows: auto auto auto minmax(0, 1fr);
    grid-template-columns: minmax(0, 1fr);
    min-height: 0;
    overflow: hidden;
  }
  header {
    grid-row: 1;
    display: flex;
    align-items: center;
    gap: var(--ff-space);
    padding: 6px var(--ff-space);
    border-bottom: 1px solid var(--ff-line);
    background: var(--ff-raised);
  }
  h1 {
    font-size: 15px;
    letter-spacing: -0.01em;
  }
  .example {
    min-width: 0;
    flex: 0 1 260px;
  }
  .example select {
    width: 100%;
    text-overflow: ellipsis;
  }
  .command-palette {
    flex: 1 1 200px;
    min-width: 0;
    max-width: 520px;
    margin: 0 auto;
    overflow: hidden;
    color: var(--ff-quiet);
    text-align: left;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  kbd {
    padding: 0 4px;
    border: 1px solid var(--ff-line);
    border-radius: 3px;
    background: var(--ff-raised);
    font: 0.9em var(--ff-mono);
  }
  .counts {
    grid-row: 2;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0 calc(var(--ff-space) * 2);
    min-height: 32px;
    padding: 4px var(--ff-space);
    border-bottom: 1px solid var(--ff-line);
    font-variant-numeric: tabular-nums;
  }
  .counts .link {
    color: inherit;
  }
  .error {
    color: var(--ff-error);
  }
  .warning,
  .counts .link.warning {
    color: var(--ff-warning);
  }
  .notices {
    grid-row: 3;
    max-height: 40vh;
    overflow: auto;
  }
  .notice,
  .help {
    margin: 0;
    overflow-wrap: anywhere;
    padding: 4px var(--ff-space);
    border-bottom: 1px solid var(--ff-line);
    background: var(--ff-raised);
  }
  .notice.error {
    background: var(--ff-error-soft);
  }
  .notice.warning {
    background: var(--ff-warning-soft);
  }
  .help {
    display: flex;
    align-items: end;
    justify-content: space-between;
    gap: var(--ff-space);
  }
  .help dl {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(280px, 1fr));
    gap: 4px calc(var(--ff-space) * 2);
    flex: 1;
    margin: 4px 0;
  }
  .help dl div {
    display: flex;
    gap: var(--ff-space);
  }
  .help dd {
    margin: 0;
  }
  ff-columns {
    grid-row: 4;
  }
  section[slot] {
    display: grid;
    grid-template-columns: minmax(0, 1fr);
    grid-template-rows: minmax(0, 1fr);
    min-height: 0;
    overflow: auto;
  }
  section.middle {
    grid-template-rows: auto minmax(0, 1fr);
    overflow: hidden;
  }
  .tabs {
    display: flex;
    overflow-x: auto;
    border-bottom: 1px solid var(--ff-line);
    background: var(--ff-raised);
  }
  .tabs button {
    flex: none;
    padding: 6px 8px;
    border: 0;
    border-bottom: 2px solid transparent;
    border-radius: 0;
    background: none;
    color: var(--ff-quiet);
  }
  .tabs button[aria-selected="true"] {
    border-bottom-color: var(--ff-accent);
    color: var(--ff-ink);
    font-weight: 600;
  }
  .tabs button:focus-visible {
    outline-offset: -2px;
  }
  .view {
    min-height: 0;
    overflow: auto;
  }
  @media (max-width: 900px) {
    header {
      flex-wrap: wrap;
    }
    .command-palette {
      order: 1;
      flex-basis: 100%;
      max-width: none;
    }
  }
  @media print {
    :host {
      display: block;
      overflow: visible;
    }
    header,
    .counts,
    .notices,
    .tabs {
      display: none;
    }
    section[slot],
    .view {
      display: block;
      overflow: visible;
    }
  }
`;
