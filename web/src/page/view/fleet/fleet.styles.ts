import { css } from "lit";

export const fleetStyles = css`
  :host {
    display: grid;
    grid-template-rows: auto minmax(0, 1fr) auto;
    height: 100%;
  }
  .top {
    padding: var(--ff-space);
    min-width: 0;
  }
  .filter {
    display: flex;
    gap: var(--ff-space);
  }
  .filter input {
    flex: 1;
    min-width: 0;
    font-family: var(--ff-mono);
    font-size: 0.95em;
  }
  .filter input[aria-invalid="true"] {
    border-color: var(--ff-error);
  }
  .read {
    display: flex;
    flex-wrap: wrap;
    gap: 0 var(--ff-space);
    margin: calc(var(--ff-space) / 2) 0 0;
  }
  .refused {
    margin: calc(var(--ff-space) / 2) 0 0;
    color: var(--ff-error);
    overflow-wrap: anywhere;
  }
  .refused pre {
    margin: 0;
    color: var(--ff-ink);
    overflow: auto;
  }
  .refused .caret {
    color: var(--ff-error);
  }
  .facet {
    display: grid;
    grid-template-columns: 88px minmax(0, 1fr);
    gap: var(--ff-space);
    margin-top: calc(var(--ff-space) / 2);
  }
  .facet > .quiet {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    line-height: 22px;
  }
  .chips {
    display: flex;
    flex-wrap: wrap;
    gap: 4px;
    min-width: 0;
  }
  .chips button {
    max-width: 100%;
    padding: 0 6px;
    border-radius: 11px;
    line-height: 20px;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    font-size: 0.92em;
  }
  .chips .number {
    color: var(--ff-quiet);
    font-variant-numeric: tabular-nums;
  }
  .table {
    display: grid;
    min-height: 160px;
    border-top: 1px solid var(--ff-line);
    border-bottom: 1px solid var(--ff-line);
  }
  .cells {
    display: grid;
    align-items: center;
    height: 100%;
    padding: 0 var(--ff-space);
    gap: var(--ff-space);
    border-bottom: 1px solid var(--ff-line);
  }
  .cells > * {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .head {
    height: 28px;
  }
  .head button {
    max-width: 100%;
    padding: 0;
    border: 0;
    background: none;
    color: var(--ff-quiet);
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .head [aria-sort]:not([aria-sort="none"]) button {
    color: var(--ff-ink);
    font-weight: 600;
  }
  .name {
    font-family: var(--ff-mono);
    font-size: 0.95em;
  }
  .in,
  .head .in {
    text-align: center;
  }
  .yes {
    color: var(--ff-added);
  }
  .no {
    color: var(--ff-error);
  }
  .detail h2,
  .detail h2 button {
    max-width: 100%;
    overflow-wrap: anywhere;
  }
  .detail {
    max-height: 30vh;
    overflow: auto;
    padding: var(--ff-space);
    background: var(--ff-raised);
  }
  .detail dl {
    display: grid;
    grid-template-columns: 88px minmax(0, 1fr);
    gap: 2px var(--ff-space);
    margin: 4px 0 0;
  }
  .detail dt {
    color: var(--ff-quiet);
  }
  .detail dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .labels {
    display: flex;
    flex-wrap: wrap;
    gap: 0 calc(var(--ff-space) * 1.5);
  }
  .labels button {
    color: inherit;
    font-family: var(--ff-mono);
    font-size: 0.92em;
    overflow-wrap: anywhere;
  }
`;
