// One clock for the page. A plan asked for with another time is another question, so the time moves once a minute and not with every look.

const MINUTE = 60_000;

/** The time in RFC 3339, to the minute: `2026-11-16T18:53:00Z`. */
export function currentMinute(): string {
  const minute = Math.floor(Date.now() / MINUTE) * MINUTE;
  return new Date(minute).toISOString().replace(".000Z", "Z");
}
