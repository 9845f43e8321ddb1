// Of a long list only the rows on screen are there.

export interface Rows {
  from: number;
  to: number;
}

/** The rows to draw for a box that is scrolled to `top`, with some to spare on both sides. */
export function visibleRows(box: { top: number; height: number }, row: number, length: number, overscan = 8): Rows {
  const from = Math.max(0, Math.floor(box.top / row) - overscan);
  return { from: Math.min(from, length), to: Math.min(length, Math.ceil((box.top + box.height) / row) + overscan) };
}
