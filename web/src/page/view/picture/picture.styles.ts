import { css } from "lit";

export const pictureStyles = css`
  .said {
    margin: 0;
    padding: var(--ff-space);
    border-bottom: 1px solid var(--ff-line);
  }
  .said {
    min-height: 56px;
    overflow-wrap: anywhere;
  }
  .said .sign {
    color: var(--ff-accent);
    font-weight: 600;
  }
  .said .hidden {
    color: var(--ff-warning);
    font-weight: 600;
  }
  .map {
    position: relative;
    margin: var(--ff-space);
  }
  svg.bands {
    position: absolute;
    inset: 0;
    pointer-events: none;
  }
  .bands path {
    fill: none;
    stroke: currentcolor;
    opacity: 0.3;
    transition: opacity 120ms;
  }
  .bands path.plain {
    color: var(--ff-quiet);
  }
  .bands path.layer-8 {
    opacity: 0.15;
  }
  .bands path.none {
    stroke-dasharray: 1 4;
  }
  .bands path.changed {
    color: var(--ff-accent);
    opacity: 0.75;
  }
  .bands path.shadowed {
    color: var(--ff-warning);
    stroke-dasharray: 3 3;
    opacity: 0.9;
  }
  .pointing .bands path {
    opacity: 0.06;
  }
  .pointing .bands path.lit {
    opacity: 0.65;
  }
  .pointing .node:not(.lit) {
    color: var(--ff-quiet);
    border-color: transparent;
    background: none;
  }
  .head,
  .family,
  .node {
    position: absolute;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .head,
  .family {
    color: var(--ff-quiet);
    line-height: 20px;
  }
  .head {
    top: 0;
  }
  .family {
    font-size: 0.92em;
  }
  .node {
    padding: 0 4px;
    text-align: left;
    font-size: 0.92em;
    background: var(--ff-raised);
  }
  .shown {
    display: flex;
    align-items: center;
    gap: 5px;
    height: 100%;
  }
  .node .text {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .node .end {
    flex: none;
    margin-left: auto;
    color: var(--ff-quiet);
    font-variant-numeric: tabular-nums;
  }
  .node:hover {
    background: var(--ff-hover);
  }
  .node.chosen {
    border-color: var(--ff-accent);
    background: var(--ff-chosen);
  }
  .node.unheard {
    border-style: dashed;
  }
  .node.changed {
    border-color: var(--ff-accent);
  }
  .node .sign {
    flex: none;
    color: var(--ff-accent);
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
  .node .hidden {
    color: var(--ff-warning);
  }
  .node.failed .text {
    color: var(--ff-error);
  }
  .block {
    flex: none;
    background: var(--ff-quiet);
    border-radius: 1px;
  }
  .changed .block {
    background: var(--ff-accent);
  }
  .failed .block {
    background: var(--ff-error);
  }
  table {
    width: calc(100% - var(--ff-space) * 2);
    margin: var(--ff-space);
    border-collapse: collapse;
    table-layout: fixed;
    font-size: 0.92em;
  }
  caption {
    padding: var(--ff-space) 0 calc(var(--ff-space) / 2);
    color: var(--ff-quiet);
    text-align: left;
  }
  th,
  td {
    padding: 2px 4px;
    border-bottom: 1px solid var(--ff-line);
    text-align: left;
    overflow-wrap: anywhere;
    vertical-align: top;
  }
  th {
    color: var(--ff-quiet);
    font-weight: 400;
  }
  .number {
    width: 64px;
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
`;
