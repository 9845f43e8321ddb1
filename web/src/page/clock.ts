// One clock for the page. The time is part of a plan request, so it advances once a minute: otherwise every render
// would plan again.

const MINUTE = 60_000;

/** The time in RFC 3339, truncated to the minute: `2026-11-16T18:53:00Z`. */
export function currentMinute(): string {
  const minute = Math.floor(Date.now() / MINUTE) * MINUTE;
  return new Date(minute).toISOString().replace(".000Z", "Z");
}
