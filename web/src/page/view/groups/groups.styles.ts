import { css } from "lit";

export const groupStyles = css`
  ff-subject-list {
    border-bottom: 1px solid var(--ff-line);
  }
  section {
    padding: var(--ff-space) 0;
  }
  h2,
  h3,
  .selected,
  .why,
  .problem,
  .more {
    padding: 0 var(--ff-space);
  }
  h2 {
    font-size: 1.15em;
    overflow-wrap: anywhere;
  }
  h2 .quiet {
    font-weight: 400;
  }
  h2 button.link {
    color: inherit;
    font-weight: 600;
  }
  h3 {
    margin: calc(var(--ff-space) * 2) 0 calc(var(--ff-space) / 2);
    color: var(--ff-quiet);
    font-weight: 400;
  }
  .selected {
    display: flex;
    align-items: center;
    gap: var(--ff-space);
    margin: calc(var(--ff-space) / 2) 0;
    font-variant-numeric: tabular-nums;
  }
  .share {
    flex: none;
    width: 128px;
    height: 8px;
    border-radius: 4px;
    background: var(--ff-line);
  }
  .share > span {
    display: block;
    height: 100%;
    border-radius: 4px;
    background: var(--ff-accent);
  }
  .problem {
    margin: calc(var(--ff-space) / 2) var(--ff-space);
    padding: calc(var(--ff-space) / 2) var(--ff-space);
    border-left: 3px solid var(--ff-error);
    background: var(--ff-error-soft);
    overflow-wrap: anywhere;
  }
  .groups {
    margin: 0;
    padding: 0;
    list-style: none;
    border-top: 1px solid var(--ff-line);
  }
  .group {
    border-bottom: 1px solid var(--ff-line);
  }
  .head {
    display: grid;
    grid-template-columns: 10px 20px 92px 64px minmax(0, 1fr) auto auto;
    align-items: center;
    gap: var(--ff-space);
    width: 100%;
    min-height: 32px;
    padding: 0 var(--ff-space);
    border: 0;
    border-radius: 0;
    background: none;
    text-align: left;
  }
  .head:focus-visible {
    outline-offset: -2px;
  }
  .chosen > .head {
    background: var(--ff-chosen);
  }
  .twist {
    color: var(--ff-quiet);
    font-size: 0.8em;
  }
  .letter {
    font-weight: 600;
  }
  .size {
    text-align: right;
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
  }
  .bar {
    height: 8px;
  }
  .bar > span {
    display: block;
    height: 100%;
    border-radius: 2px;
    background: var(--ff-accent);
  }
  .failed .bar > span {
    background: var(--ff-error);
  }
  .failed .what {
    color: var(--ff-error);
  }
  .what {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .what code + code {
    margin-left: 4px;
  }
  .why {
    display: flex;
    flex-wrap: wrap;
    gap: 2px var(--ff-space);
  }
  .head > .sign {
    padding: 0 6px;
    border: 1px solid var(--ff-accent);
    border-radius: 8px;
    color: var(--ff-accent);
    font-size: 0.9em;
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .gone .letter,
  .gone .what {
    color: var(--ff-removed);
  }
  .shadowed {
    margin: var(--ff-space) 0 0;
    padding: 0 var(--ff-space);
    list-style: none;
    overflow-wrap: anywhere;
  }
  .hidden {
    color: var(--ff-warning);
    font-weight: 600;
  }
`;
