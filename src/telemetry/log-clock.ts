/** Three digits for each number below 1000: what follows the point of a time. */
export const THREE_DIGITS: readonly string[] = Array.from({ length: 1000 }, (_, number) =>
  String(number).padStart(3, '0'),
);

let latestSecond = NaN;
let latestText = '';

/** The time of a log line, ISO 8601 in UTC. Many lines are of one second: its text is made once. */
export function logTime(): string {
  const now = Date.now();
  const milliseconds = now % 1000;
  const second = now - milliseconds;
  if (second !== latestSecond) {
    latestSecond = second;
    latestText = new Date(second).toISOString().slice(0, -4);
  }
  return `${latestText}${THREE_DIGITS[milliseconds] ?? ''}Z`;
}
