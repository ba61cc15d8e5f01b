let latestMs = 0;
let latestText = '';

/** The time of a log line, ISO 8601 in UTC. Many lines are of one millisecond: its text is made once. */
export function logTime(): string {
  const now = Date.now();
  if (now !== latestMs) {
    latestMs = now;
    latestText = new Date(now).toISOString();
  }
  return latestText;
}
