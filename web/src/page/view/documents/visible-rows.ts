// The visible rows of a virtual list.

export interface Rows {
  from: number;
  to: number;
}

/** The rows to render for a box scrolled to `top`, with some overscan on both sides. */
export function visibleRows(box: { top: number; height: number }, row: number, length: number, overscan = 8): Rows {
  const from = Math.max(0, Math.floor(box.top / row) - overscan);
  return { from: Math.min(from, length), to: Math.min(length, Math.ceil((box.top + box.height) / row) + overscan) };
}
