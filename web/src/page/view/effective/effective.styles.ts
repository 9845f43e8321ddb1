// The styles of the cluster column.
import { css } from "lit";

export const effectiveStyles = css`
  :host {
    display: flex;
    flex-direction: column;
    min-height: 0;
  }
  header {
    padding: var(--ff-space);
    border-bottom: 1px solid var(--ff-line);
  }
  .bar {
    display: flex;
    align-items: center;
    gap: var(--ff-space);
    min-width: 0;
  }
  .bar + .bar {
    margin-top: 4px;
    flex-wrap: wrap;
    justify-content: space-between;
    row-gap: 0;
  }
  .bar ff-pick {
    flex: 0 1 12rem;
  }
  .bar select {
    field-sizing: content;
    max-width: 100%;
    min-width: 0;
    margin-inline-start: calc(var(--ff-space) * -0.5);
    padding-inline: calc(var(--ff-space) * 0.5);
    border-color: transparent;
    background: none;
  }
  .bar select option {
    background: var(--ff-page);
    color: var(--ff-ink);
  }
  .bar select:hover {
    border-color: var(--ff-line);
  }
  .bar > button {
    flex: none;
    white-space: nowrap;
  }
  .push {
    display: inline-flex;
    flex: none;
    margin-inline-start: auto;
  }
  .push button:first-child {
    border-start-end-radius: 0;
    border-end-end-radius: 0;
  }
  .push button:last-child {
    margin-inline-start: -1px;
    border-start-start-radius: 0;
    border-end-start-radius: 0;
  }
  .scroll {
    flex: 1;
    min-height: 0;
    overflow: auto;
  }
  .broken,
  .note {
    margin: 0;
    padding: 4px var(--ff-space);
    border-bottom: 1px solid var(--ff-line);
    overflow-wrap: anywhere;
  }
  .broken {
    background: var(--ff-error-soft);
  }
  .note {
    background: var(--ff-added-soft);
  }
`;
