// The styles of the value tree. Every line has the same height, so that the height of rows outside the viewport follows
// from their number of lines.
import { css } from "lit";

export const LINE = 24;

export const treeStyles = css`
  .tree {
    position: relative;
    padding-block: 4px;
  }
  .virtual > * {
    position: absolute;
    inset-inline: 0;
  }
  .row {
    display: grid;
    grid-template-columns: minmax(0, 1.25fr) minmax(0, 1.15fr) minmax(0, 1fr);
    column-gap: var(--ff-space);
    padding-inline: var(--ff-space);
    line-height: ${LINE}px;
    border-inline-start: 2px solid transparent;
    cursor: default;
  }
  .row.object {
    grid-template-columns: minmax(0, 1fr) auto auto;
  }
  .row:hover {
    background: var(--ff-hover);
  }
  .row.chosen {
    background: var(--ff-chosen);
    border-inline-start-color: var(--ff-accent);
  }
  .row:focus-visible {
    outline-offset: -2px;
  }
  .row > *,
  .loser > * {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .name {
    padding-inline-start: calc(var(--level) * 14px);
  }
  .twist {
    display: inline-block;
    width: 14px;
    color: var(--ff-quiet);
    cursor: pointer;
  }
  .value,
  .name .mono {
    font-family: var(--ff-mono);
    font-size: 0.95em;
    unicode-bidi: isolate;
  }
  .chosen .by,
  .chosen .quiet {
    color: var(--ff-ink);
  }
  .by,
  .who {
    display: flex;
    align-items: center;
    gap: 5px;
    color: var(--ff-quiet);
  }
  .by > :last-child,
  .who > :last-child {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .who {
    padding-inline-start: calc(var(--level) * 14px + 28px);
  }
  .by button.link {
    color: inherit;
  }
  .loser button.link {
    display: flex;
  }
  .loser button.link > :first-child {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .by button.link:hover {
    color: var(--ff-accent);
  }
  .losers {
    grid-column: 1 / -1;
    display: grid;
    overflow: visible;
  }
  .loser {
    display: grid;
    grid-template-columns: subgrid;
    grid-column: 1 / -1;
    color: var(--ff-quiet);
  }
  .losers {
    grid-template-columns: subgrid;
  }
  s {
    text-decoration-color: var(--ff-quiet);
  }
  .sign {
    display: inline-block;
    width: 1.2em;
    font-family: var(--ff-mono);
    font-weight: 700;
  }
  .changed .sign {
    color: var(--ff-warning);
  }
  .added .sign {
    color: var(--ff-added);
  }
  .removed .sign {
    color: var(--ff-removed);
  }
  .changed .value {
    background: var(--ff-warning-soft);
  }
  .added .value {
    background: var(--ff-added-soft);
  }
  .removed .value {
    background: var(--ff-removed-soft);
    text-decoration: line-through;
  }
  .branch .value {
    background: none;
  }
  .was {
    color: var(--ff-quiet);
  }
`;
